// What belongs to the account: who replies, to whom tickets of a team go, own addresses, business days, the model.

import { useState } from "preact/hooks";
import { t } from "../../../texts/texts";
import { useDraft } from "../../../ui/draft";
import { Button, Field } from "../../../ui/controls";
import { LiveChange } from "../../switches/LiveChange";
import { useVersion } from "../storedSettings";
import type { Account } from "./AccountSetup";
import { changesOf, enteredOf, fieldsOf, LINES, TEAMS, withKept, type Entered } from "./fields";

export function AccountForm({ account, teams, onChange }: { account: Account; teams: Record<string, string>; onChange: () => Promise<unknown> }) {
  const draft = useDraft("help-desk-account");
  const [isAsked, setAsked] = useState(false);
  const { store, back } = useVersion(account.number);
  const before = enteredOf(account.fields);
  const entered = withKept(before, draft.text);
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const changed = changesOf(before, entered);
  const { deployed, model } = account.model;
  return (
    <form
      class="ops-editor"
      aria-label={t("desk.fields")}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
      }}
    >
      <h3>{t("desk.fields")}</h3>
      <p class="quiet">{t(account.source === "settings" ? "desk.fields.stored" : "desk.fields.deployed")}</p>
      {LINES.map(({ name, isList, isRequired, dir }) => (
        <Field key={name} label={t(`desk.field.${name}`)} name={`settings.account.${name}`} error={null}>
          {isList ? (
            <textarea rows={2} dir={dir} value={entered[name]} onInput={(event) => write({ [name]: event.currentTarget.value })} />
          ) : (
            <input dir={dir} required={isRequired} maxLength={100} value={entered[name]} onInput={(event) => write({ [name]: event.currentTarget.value })} />
          )}
        </Field>
      ))}
      <datalist id="desk-teams">
        {Object.entries(teams).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <details>
        <summary>{t("desk.assignees", { count: Object.values(entered.assignees).filter(Boolean).length })}</summary>
        <p class="quiet">{t("desk.assignees.about")}</p>
        {TEAMS.map((team) => (
          <Field key={team} label={t("desk.assignee", { team })} name={`settings.account.team_assignees.${team}`} error={null}>
            <input dir="ltr" maxLength={100} list="desk-teams" value={entered.assignees[team] ?? ""} onInput={(event) => write({ assignees: { ...entered.assignees, [team]: event.currentTarget.value } })} />
          </Field>
        ))}
      </details>
      <label class="choice-line">
        <input type="checkbox" checked={entered.trustsLinked} onChange={(event) => write({ trustsLinked: event.currentTarget.checked })} />
        <span>{t("desk.field.trust_linked_order")}</span>
      </label>
      <Field label={t("desk.field.classifier")} name="settings.account.classifier" error={null}>
        <select value={entered.classifier} onChange={(event) => write({ classifier: event.currentTarget.value })}>
          <option value="deployed">{deployed === "model" ? t("desk.classifier.model", { model: model ?? "" }) : t("desk.classifier.none")}</option>
          <option value="rules">{t("desk.classifier.rules")}</option>
        </select>
      </Field>
      <p class="quiet">{t("desk.classifier.about")}</p>
      <div class="ops-editor-end">
        {draft.text && <Button onClick={() => draft.write("")}>{t("desk.fields.discard")}</Button>}
        <Button type="submit" kind="primary" disabled={!changed.length}>
          {t("desk.fields.store")}
        </Button>
      </div>
      {isAsked && (
        <LiveChange
          title={t("desk.fields")}
          button={t("desk.fields.store")}
          from={changed.map(({ from }) => from).join("; ")}
          to={changed.map(({ to }) => to).join("; ")}
          effect={t("desk.fields.effect")}
          set={async () => {
            await store({ account: fieldsOf(account.fields, entered) });
            draft.write("");
          }}
          back={back}
          done={t("desk.fields.done")}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        />
      )}
    </form>
  );
}
