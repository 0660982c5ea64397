// A new API key: its name, permissions in words, projects and lifetime; then the key itself, once.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { linesOf } from "../../operations/channels/mailboxes/hours";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { Copied } from "../Copied";
import { GROUPS, groupText, isKnown, scopesOf, type Scope } from "./scopes";

type Created = ConsoleOperations.ApiKeyCreated;

interface Entered {
  name: string;
  scopes: Scope[];
  projects: string;
  days: string; // empty: until it is revoked
}

const FORM = "api-keys";
const DAYS = ["30", "90", "365", ""] as const;

export function KeyForm({ onCreated }: { onCreated: () => Promise<unknown> }) {
  const { client } = useApp();
  const session = useSession();
  const draft = useDraft(FORM);
  const [created, setCreated] = useState<Created | null>(null);
  const entered = kept(draft.text);
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const create = useAction(async () => {
    const body = {
      name: entered.name.trim(),
      scopes: entered.scopes,
      projects: linesOf(entered.projects),
      ...(entered.days && { expires_days: Number(entered.days) }),
    };
    const { result } = await client.call("POST /operations/api-keys", { body, key: draft.keyFor(body) });
    setCreated(result);
    draft.sent(draft.text);
    await onCreated();
  });
  if (created) return <Shown created={created} onHide={() => setCreated(null)} />;
  return (
    <form
      class="ops-editor"
      aria-label={t("keys.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      {create.error && <ErrorNotice error={create.error} fields={["name", "projects", "expires_days"]} />}
      <Field label={t("keys.name")} name="name" error={create.error}>
        <input required maxLength={80} value={entered.name} onInput={(event) => write({ name: event.currentTarget.value })} />
      </Field>
      {GROUPS.map((group) => (
        <fieldset key={group} class="setup-scopes">
          <legend class="field-label">
            {t("keys.scopes")}: {groupText(group)}
          </legend>
          {scopesOf(group, rightsOf(session).operator).map((scope) => (
            <label key={scope} class="choice-line">
              <input type="checkbox" checked={entered.scopes.includes(scope)} onChange={() => write({ scopes: toggled(entered.scopes, scope) })} />
              <span>{t(`keys.scope.${scope}`)}</span>
            </label>
          ))}
        </fieldset>
      ))}
      <Field label={t("keys.projects_text")} name="projects" error={create.error}>
        <input dir="ltr" value={entered.projects} onInput={(event) => write({ projects: event.currentTarget.value })} />
      </Field>
      <Field label={t("keys.lifetime")} name="expires_days" error={create.error}>
        <select value={entered.days} onChange={(event) => write({ days: event.currentTarget.value })}>
          {DAYS.map((days) => (
            <option key={days} value={days}>
              {days ? t("keys.days", { count: days }) : t("keys.until_revoked")}
            </option>
          ))}
        </select>
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={create.busy} disabled={!entered.name.trim() || entered.scopes.length === 0}>
          {t("keys.create")}
        </Button>
      </div>
    </form>
  );
}

export function Shown({ created: { key, key_id: id }, onHide }: { created: Created; onHide: () => void }) {
  return (
    <div class="setup-number" role="status">
      <b>{t("keys.made")}</b>
      <p class="quiet" dir="ltr">
        {id}
      </p>
      {key ? (
        <>
          <Copied label={t("keys.text")} value={key} isSecret />
          <p>{t("keys.once")}</p>
        </>
      ) : (
        <p>{t("keys.lost")}</p>
      )}
      <div class="ops-editor-end">
        <Button onClick={onHide}>{t(key ? "keys.hide" : "keys.new")}</Button>
      </div>
    </div>
  );
}

function toggled(scopes: Scope[], scope: Scope): Scope[] {
  return scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope];
}

// What was kept as a text, as far as it fits.
function kept(text: string): Entered {
  const first: Entered = { name: "", scopes: [], projects: "", days: "365" };
  try {
    const found = { ...first, ...(JSON.parse(text || "{}") as Partial<Entered>) };
    return { ...found, scopes: found.scopes.filter(isKnown) };
  } catch {
    return first;
  }
}
