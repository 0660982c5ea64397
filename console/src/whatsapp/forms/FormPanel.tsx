// One form: what the provider says about it, its preview, its way from a draft to its end, routing and answers.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Confirm, Section, Time } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { Answers } from "./Answers";
import { FormState } from "./FormState";
import { JsonEditor } from "./JsonEditor";
import { Keys } from "./Keys";
import { foundBy } from "./problems";
import { RoutingForm } from "./RoutingForm";

type Shown = Actions.ShownForm;
type Step = "publish" | "deprecate" | "delete";

interface Props {
  account: Account;
  flowId: string;
  onChange: () => Promise<void>;
  onGone: () => void;
}

export function FormPanel({ account, flowId, onChange, onGone }: Props) {
  const { client } = useApp();
  const [step, setStep] = useState<Step | null>(null);
  const asked = { metaWabaId: account.waba, flowId };
  const form = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_flow", { body: { ...asked, assets: true }, signal })).result, [client, account.waba, flowId]);
  const take = useAction(async () => {
    if (step) await client.call(STEPS[step], { body: asked });
  });
  const changed = async () => {
    await Promise.all([form.reload(), onChange()]);
  };
  const onDone = () => {
    const done = step!;
    setStep(null);
    showToast(t(`forms.done.${done}`));
    if (done === "delete") onGone();
    else void changed();
  };
  const name = form.value?.name ?? flowId;
  const errors = form.value?.validationErrors ?? [];
  return (
    <>
      <Section title={name} resource={form}>
        {(shown) => (
          <>
            <Facts form={shown} />
            <Preview account={account} flowId={flowId} />
            <div class="ops-editor-end">
              {shown.status === "DRAFT" && (
                <>
                  <Button kind="primary" disabled={errors.length > 0} onClick={() => setStep("publish")}>
                    {t("forms.step.publish")}
                  </Button>
                  <Button onClick={() => setStep("delete")}>{t("forms.step.delete")}</Button>
                </>
              )}
              {shown.status === "PUBLISHED" && <Button onClick={() => setStep("deprecate")}>{t("forms.step.deprecate")}</Button>}
              {(shown.assets ?? []).map((file) => (
                <a key={file.downloadUrl} class="link" href={file.downloadUrl} target="_blank" rel="noreferrer">
                  {t("forms.download", { name: file.name })}
                </a>
              ))}
            </div>
            {errors.length > 0 && <p class="quiet">{t("forms.publish.faulty")}</p>}
            {shown.status === "DRAFT" && <JsonEditor waba={account.waba} flowId={flowId} found={foundBy(errors)} onStored={changed} />}
            {shown.endpointUri && <RoutingForm key={JSON.stringify(shown.routing)} flowId={flowId} stored={shown.routing ?? null} onStored={form.reload} />}
            {shown.endpointUri && <Keys account={account} />}
            {!shown.endpointUri && <p class="quiet">{t("forms.no_routing")}</p>}
          </>
        )}
      </Section>
      <Answers waba={account.waba} flowId={flowId} name={name} />
      {step && (
        <Confirm title={t(`forms.step_of.${step}`, { name })} action={take} button={t(`forms.step.${step}`)} onClose={() => setStep(null)} onDone={onDone}>
          <p>{t(`forms.effect.${step}`)}</p>
        </Confirm>
      )}
    </>
  );
}

const STEPS = {
  publish: "POST /whatsapp/actions/publish_flow",
  deprecate: "POST /whatsapp/actions/deprecate_flow",
  delete: "POST /whatsapp/actions/delete_flow",
} as const satisfies Record<Step, string>;

function Facts({ form }: { form: Shown }) {
  const reasons = (form.health?.entities ?? []).flatMap(({ errors }) => errors ?? []);
  const facts = [
    [t("ops.state"), <FormState form={form} />],
    [t("forms.id"), <code dir="ltr">{form.flowId}</code>],
    [t("forms.categories"), (form.categories ?? []).map((one) => named("forms.category", one)).join(", ")],
    [t("forms.version"), form.jsonVersion ?? t("ops.unknown")],
    [t("forms.data"), t(form.endpointUri ? "forms.data.endpoint" : "forms.data.own")],
    [t("forms.health"), named("forms.health", form.health?.can_send_message ?? "UNKNOWN")],
  ] as const;
  return (
    <>
      <dl class="number-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {reasons.map((one) => (
        <p key={one.error_description} class="notice">
          {one.error_description} {one.possible_solution}
        </p>
      ))}
    </>
  );
}

// Anyone with its address sees the form: it is asked for, never shown by itself.
function Preview({ account, flowId }: { account: Account; flowId: string }) {
  const { client } = useApp();
  const [preview, setPreview] = useState<Actions.Preview | null>(null);
  const look = useAction(async () => {
    const body = { metaWabaId: account.waba, flowId, invalidate: preview !== null };
    setPreview((await client.call("POST /whatsapp/actions/get_flow_preview", { body })).result);
  });
  return (
    <div>
      <Button busy={look.busy} onClick={() => void look.run()}>
        {t(preview ? "forms.preview.new" : "forms.preview")}
      </Button>
      {look.error && <ErrorNotice error={look.error} onRetry={() => void look.run()} />}
      {preview && (
        <p role="status">
          <a class="link" href={preview.url} target="_blank" rel="noreferrer">
            {t("forms.preview.open")}
          </a>{" "}
          <span class="quiet">
            {t("forms.preview.about")} {preview.expiresAt && <Time at={preview.expiresAt} />}
          </span>
        </p>
      )}
    </div>
  );
}
