// A new form from its JSON: what cannot be read and what breaks a rule is shown at its line, and what was entered is kept.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { keepDraft } from "../../conversations/drafts";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import { lined, parsed, type Placed } from "../json";
import { JsonField } from "../JsonField";
import { draftName } from "./JsonEditor";
import { placedOf } from "./problems";

type Category = Actions.CreateFlow["categories"][number];

const CATEGORIES = ["SIGN_UP", "SIGN_IN", "APPOINTMENT_BOOKING", "LEAD_GENERATION", "SHOPPING", "CONTACT_US", "CUSTOMER_SUPPORT", "SURVEY", "OTHER"] as const satisfies readonly Category[];
const FIELDS = ["name", "categories", "flowJson"];

interface Entered {
  name: string;
  category: Category;
  json: string;
  hasEndpoint: boolean;
}

function kept(text: string): Entered {
  const empty: Entered = { name: "", category: "OTHER", json: "", hasEndpoint: false };
  try {
    return { ...empty, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return empty; // of another version of the page
  }
}

export function NewForm({ account, onCreated, onClose }: { account: Account; onCreated: (flowId: string | null) => void; onClose: () => void }) {
  const { client } = useApp();
  const draft = useDraft(`form-${account.waba}`);
  const state = kept(draft.text);
  const [unread, setUnread] = useState<Placed[]>([]);
  const write = (part: Partial<Entered>) => {
    draft.write(JSON.stringify({ ...state, ...part }));
    if (part.json !== undefined) setUnread([]);
  };
  const create = useAction(async () => {
    const read = parsed(state.json);
    if (!("value" in read)) return setUnread([{ line: read.line, words: t("wa.json.unreadable") }]);
    const text = lined(read.value);
    const whole = JSON.stringify({ ...state, json: text });
    draft.write(whole);
    const body = { metaWabaId: account.waba, name: state.name.trim(), categories: [state.category], flowJson: read.value, useDataEndpoint: state.hasEndpoint };
    const { result } = await client.call("POST /whatsapp/actions/create_flow", { body, key: draft.keyFor(body) });
    const made: string | undefined = result.flowId; // none if the provider's answer was lost
    const isFaulty = (result.validationErrors ?? []).length > 0;
    draft.sent(whole);
    if (made && isFaulty) keepDraft(draftName(made), text);
    showToast(t(!made ? "forms.in_doubt" : isFaulty ? "forms.created_faulty" : "forms.created"));
    onCreated(made ?? null);
  });
  const problems = [...unread, ...placedOf(create.error, "flowJson", state.json)];
  return (
    <section class="ops-section" aria-label={t("forms.new")}>
      <h2>{t("forms.new")}</h2>
      <form
        class="ops-editor"
        aria-label={t("forms.new")}
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <p class="quiet">{t("forms.json.about")}</p>
        <Field label={t("ops.name")} name="name" error={create.error}>
          <input required maxLength={200} dir="auto" value={state.name} onInput={(event) => write({ name: event.currentTarget.value })} />
        </Field>
        <Field label={t("forms.category")} name="categories" error={create.error}>
          <select value={state.category} onChange={(event) => write({ category: event.currentTarget.value as Category })}>
            {CATEGORIES.map((one) => (
              <option key={one} value={one}>
                {t(`forms.category.${one}`)}
              </option>
            ))}
          </select>
        </Field>
        <JsonField label={t("forms.json")} text={state.json} problems={problems} required hasFile onInput={(json) => write({ json })} />
        <label class="choice-line">
          <input type="checkbox" checked={state.hasEndpoint} onChange={(event) => write({ hasEndpoint: event.currentTarget.checked })} />
          <span>{t("forms.endpoint.use")}</span>
        </label>
        {create.error && <ErrorNotice error={create.error} fields={FIELDS} onRetry={() => void create.run()} />}
        <div class="ops-editor-end">
          <Button onClick={onClose}>{t("action.cancel")}</Button>
          <Button type="submit" kind="primary" busy={create.busy}>
            {t("forms.create")}
          </Button>
        </div>
      </form>
    </section>
  );
}
