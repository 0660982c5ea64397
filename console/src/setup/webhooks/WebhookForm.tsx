// A new webhook: its address and the events that it wants; then its secret, once.

import { useState } from "preact/hooks";
import type { ApiError } from "../../api/errors";
import { useAction } from "../../api/resource";
import type { ConsoleApi } from "../../api/routes";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { Copied } from "../Copied";

type Made = ConsoleApi.WebhookSecret;
type Input = ConsoleApi.WebhookInput;
type Type = Input["types"][number];
type Context = NonNullable<Input["contexts"]>[number];

export interface Entered {
  name: string;
  url: string;
  types: Type[];
  contexts: Context[];
}

const FORM = "webhooks";
const TYPES: readonly Type[] = [
  "message.received",
  "message.sent",
  "conversation.opened",
  "conversation.reopened",
  "conversation.assigned",
  "conversation.resolved",
  "conversation.handed_off",
  "conversation.overdue",
  "conversation.failed",
  "contact.opted_out",
];
const CONTEXTS: readonly Context[] = ["whatsapp", "conversations", "email_threads"];

export function WebhookForm({ onCreated }: { onCreated: () => Promise<unknown> }) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const [made, setMade] = useState<Made | null>(null);
  const entered = kept(draft.text);
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const create = useAction(async () => {
    const body = { ...entered, name: entered.name.trim(), url: entered.url.trim() };
    const { result } = await client.call("POST /inbox/webhooks", { body, key: draft.keyFor(body) });
    setMade(result);
    draft.sent(draft.text);
    await onCreated();
  });
  if (made) return <Secret made={made} onHide={() => setMade(null)} />;
  return (
    <form
      class="ops-editor"
      aria-label={t("webhooks.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <p class="quiet">{t("webhooks.thin")}</p>
      {create.error && <ErrorNotice error={create.error} fields={["name", "url"]} />}
      <Fields entered={entered} error={create.error} onEnter={write} urlIsRequired />
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={create.busy} disabled={!entered.name.trim() || !entered.url.trim() || !entered.types.length || !entered.contexts.length}>
          {t("webhooks.create")}
        </Button>
      </div>
    </form>
  );
}

// *urlIsRequired*: of a new webhook; an empty address of one that exists stays as it is.
export function Fields({ entered, error, onEnter, urlIsRequired = false }: { entered: Entered; error: ApiError | null; onEnter: (change: Partial<Entered>) => void; urlIsRequired?: boolean }) {
  return (
    <>
      <Field label={t("ops.name")} name="name" error={error}>
        <input required maxLength={80} value={entered.name} onInput={(event) => onEnter({ name: event.currentTarget.value })} />
      </Field>
      <Field label={t(urlIsRequired ? "webhooks.url" : "webhooks.new_url")} name="url" error={error}>
        <input dir="ltr" required={urlIsRequired} maxLength={2048} placeholder="https://hooks.example.com/parley" value={entered.url} onInput={(event) => onEnter({ url: event.currentTarget.value })} />
      </Field>
      <Choices legend={t("webhooks.types")} all={TYPES} chosen={entered.types} name={(one) => t(`webhooks.type.${one}`)} onChange={(types) => onEnter({ types })} />
      <Choices legend={t("webhooks.contexts")} all={CONTEXTS} chosen={entered.contexts} name={(one) => t(`context.${one}`)} onChange={(contexts) => onEnter({ contexts })} />
    </>
  );
}

function Choices<T extends string>({ legend, all, chosen, name, onChange }: { legend: string; all: readonly T[]; chosen: T[]; name: (one: T) => string; onChange: (chosen: T[]) => void }) {
  return (
    <fieldset class="setup-scopes">
      <legend class="field-label">{legend}</legend>
      {all.map((one) => (
        <label key={one} class="choice-line">
          <input type="checkbox" checked={chosen.includes(one)} onChange={() => onChange(chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one])} />
          <span>{name(one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Secret({ made: { secret, webhook }, onHide }: { made: Made; onHide: () => void }) {
  return (
    <div class="setup-number" role="status">
      <b>{t("webhooks.made", { name: webhook.name })}</b>
      {secret ? (
        <>
          <Copied label={t("webhooks.secret")} value={secret} isSecret />
          <p>{t("webhooks.once")}</p>
        </>
      ) : (
        <p>{t("webhooks.lost")}</p>
      )}
      <div class="ops-editor-end">
        <Button onClick={onHide}>{t("webhooks.hide")}</Button>
      </div>
    </div>
  );
}

// What was kept as a text, as far as it fits.
export function kept(text: string, first: Entered = { name: "", url: "", types: ["message.received"], contexts: [...CONTEXTS] }): Entered {
  try {
    const found = { ...first, ...(JSON.parse(text || "{}") as Partial<Entered>) };
    return { ...found, types: TYPES.filter((one) => found.types.includes(one)), contexts: CONTEXTS.filter((one) => found.contexts.includes(one)) };
  } catch {
    return first;
  }
}
