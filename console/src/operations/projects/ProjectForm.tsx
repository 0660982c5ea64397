// A new project: its model, and channels that the company has already. What was entered is kept until it is stored.

import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { placeOf } from "../../shell/router";
import { language, t, type Key } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import { bodyOf, idOf, kept, none, type Entered } from "./newProject";

const FORM = "new-project";
const ZONES = "project-zones";
const ID = "[A-Za-z0-9._\\-]{1,64}";
const FIELDS = {
  name: "project_name",
  id: "project_id",
  model: "ai_config.model",
  secret: "ai_config.api_key_reference",
  number: "channel_config.whatsapp.company_whatsapp_number",
  email: "channel_config.email.company_email",
  sender: "channel_config.email.email_from_name",
  sms: "channel_config.sms.company_sms_number",
  language: "default_language",
  zone: "timezone",
} as const;

interface Props {
  onMade: (projectId: string) => Promise<void>;
  onClose?: () => void; // absent if there is nothing else to show
}

export function ProjectForm({ onMade, onClose }: Props) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const phones = useResource(async (signal) => (await client.call("POST /whatsapp/actions/list_phones", { body: { limit: 100 }, signal })).result.phones, [client]);
  const entered = kept(draft.text, none(language, Intl.DateTimeFormat().resolvedOptions().timeZone));
  const enter = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const id = entered.id || idOf(entered.name);
  const make = useAction(async () => {
    const body = bodyOf(entered, phones.value ?? []);
    await client.call("POST /projects/{project_id}", { path: { project_id: id }, body, key: draft.keyFor([id, body]) });
    draft.sent(draft.text);
    showToast(t("project.new.made"));
    await onMade(id);
  });
  const input = (name: keyof typeof FIELDS, more: { dir?: "auto" | "ltr"; inputMode?: "email" | "tel"; required?: boolean; maxLength?: number; pattern?: string; value?: string } = {}) => (
    <Field label={t(`project.new.${name}` as Key)} name={FIELDS[name]} error={make.error}>
      <input dir="auto" {...more} value={more.value ?? entered[name]} onInput={(event) => enter({ [name]: event.currentTarget.value })} />
    </Field>
  );
  return (
    <form
      class="ops-editor"
      aria-label={t("project.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void make.run();
      }}
    >
      <h3>{t("project.new")}</h3>
      <p class="quiet">{t("project.new.about")}</p>
      {make.error && <ErrorNotice error={make.error} fields={Object.values(FIELDS)} onRetry={() => void make.run()} />}
      {input("name", { required: true, maxLength: 100 })}
      {input("id", { required: true, dir: "ltr", pattern: ID, value: id })}
      <Field label={t("project.new.provider")} name="ai_config.provider" error={make.error}>
        <select value={entered.provider} onChange={(event) => enter({ provider: event.currentTarget.value as Entered["provider"] })}>
          <option value="bedrock">Amazon Bedrock</option>
          <option value="openai">OpenAI</option>
        </select>
      </Field>
      {input("model", { required: true, dir: "ltr", maxLength: 2048 })}
      {entered.provider === "openai" && input("secret", { required: true, dir: "ltr", maxLength: 400 })}
      <fieldset class="ops-list">
        <legend>{t("project.new.channels")}</legend>
        <p class="quiet">
          {t("project.new.channels_about")} <a class="link" href={placeOf("operations", "domains")}>{t("ops.part.domains")}</a> ·{" "}
          <a class="link" href={placeOf("operations", "numbers")}>{t("ops.part.numbers")}</a>
        </p>
        {phones.error && <ErrorNotice error={phones.error} onRetry={() => void phones.reload()} />}
        <Field label={t("project.new.number")} name={FIELDS.number} error={make.error}>
          <select dir="ltr" value={entered.number} onChange={(event) => enter({ number: event.currentTarget.value })}>
            <option value="">–</option>
            {(phones.value ?? []).map((phone) => (
              <option key={phone.phoneNumberId} value={phone.phoneNumberId}>
                {phone.displayText ?? phone.displayPhoneNumber}
              </option>
            ))}
          </select>
        </Field>
        {input("email", { inputMode: "email", dir: "ltr", maxLength: 254 })}
        {input("sender", { maxLength: 100 })}
        {input("sms", { inputMode: "tel", dir: "ltr", maxLength: 30 })}
      </fieldset>
      {input("language", { required: true, dir: "ltr", maxLength: 35 })}
      <Field label={t("project.new.zone")} name={FIELDS.zone} error={make.error}>
        <input required dir="ltr" list={ZONES} maxLength={64} value={entered.zone} onInput={(event) => enter({ zone: event.currentTarget.value })} />
      </Field>
      <datalist id={ZONES}>
        {Intl.supportedValuesOf("timeZone").map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <label class="choice-line">
        <input type="checkbox" checked={entered.inbound} onChange={(event) => enter({ inbound: event.currentTarget.checked })} />
        <span>{t("project.new.inbound")}</span>
      </label>
      <div class="ops-editor-end">
        {onClose && <Button onClick={onClose}>{t("action.cancel")}</Button>}
        <Button type="submit" kind="primary" busy={make.busy} disabled={phones.value === null && !phones.error}>
          {t("project.new.make")}
        </Button>
      </div>
    </form>
  );
}
