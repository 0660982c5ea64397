// The languages in which the help desk answers, and the names of its teams. A change is a version, which can be undone.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../api/routes";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, Field } from "../../ui/controls";
import { LiveChange } from "../switches/LiveChange";
import { Section } from "../sections";
import { useVersion } from "./storedSettings";

type Settings = RichpanelAdmin.SettingsView;

const LANGUAGES = ["en", "es", "fr", "de", "it", "pt", "pl", "sv", "nl"];
const TEAMS = ["sales", "backend", "technical", "phone", "tiktok", "returns", "livechat", "leadership", "social", "email", "chargebacks"];

interface Entered {
  languages: string[];
  names: Record<string, string>;
}

export function Speech() {
  const { client } = useApp();
  const settings = useResource(async (signal) => (await client.call("GET /admin/richpanel/settings", { signal })).result, [client]);
  return (
    <Section title={t("desk.speech")} about={t("desk.speech.about")} resource={settings}>
      {(stored) => <Form key={stored.number} stored={stored} onChange={settings.reload} />}
    </Section>
  );
}

function Form({ stored, onChange }: { stored: Settings; onChange: () => Promise<void> }) {
  const before = enteredOf(stored);
  const [given, setGiven] = useState(before);
  const [isAsked, setAsked] = useState(false);
  const asGiven = { languages: given.languages, names: namesOf(given) };
  const changed = changesOf(before, asGiven);
  const { store, back } = useVersion(stored.number);
  const set = () => store({ languages: given.languages, team_names: asGiven.names });
  const toggle = (language: string, isOn: boolean) =>
    setGiven({ ...given, languages: LANGUAGES.filter((one) => (one === language ? isOn : given.languages.includes(one))) });
  return (
    <form
      class="ops-editor"
      aria-label={t("desk.speech")}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
      }}
    >
      <fieldset class="hours">
        <legend class="field-label">{t("desk.languages")}</legend>
        <div class="hours-days">
          {LANGUAGES.map((one) => (
            <label key={one}>
              <input type="checkbox" checked={given.languages.includes(one)} onChange={(event) => toggle(one, event.currentTarget.checked)} /> {one}
            </label>
          ))}
        </div>
      </fieldset>
      {TEAMS.map((team) => (
        <Field key={team} label={t("desk.team_name", { team })} name={`settings.team_names.${team}`} error={null}>
          <input dir="auto" maxLength={100} value={given.names[team] ?? ""} onInput={(event) => setGiven({ ...given, names: { ...given.names, [team]: event.currentTarget.value } })} />
        </Field>
      ))}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" disabled={!changed.length}>
          {t("ops.store")}
        </Button>
      </div>
      {isAsked && (
        <LiveChange
          title={t("desk.speech")}
          button={t("ops.store")}
          from={changed.map(({ from }) => from).join("; ")}
          to={changed.map(({ to }) => to).join("; ")}
          effect={t("desk.speech.effect")}
          set={set}
          back={back}
          done={t("desk.speech.stored")}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        />
      )}
    </form>
  );
}

// An empty name keeps the standard one.
function namesOf({ names }: Entered): Record<string, string> {
  return Object.fromEntries(Object.entries(names).flatMap(([team, name]) => (name.trim() ? [[team, name.trim()]] : [])));
}

// What differs, in words: the languages, and the name of each team.
function changesOf(before: Entered, after: Entered): { from: string; to: string }[] {
  const said = ({ languages, names }: Entered) => [
    languages.join(", ") || t("desk.no_language"),
    ...[...new Set([...TEAMS, ...Object.keys(before.names)])].map((team) => `${team}: ${names[team] ?? t("desk.standard_name")}`),
  ];
  const now = said(after);
  return said({ ...before, names: namesOf(before) }).flatMap((from, at) => (from === now[at] ? [] : [{ from, to: now[at]! }]));
}

function enteredOf(stored: Settings): Entered {
  const { languages, team_names: names } = stored.settings as { languages?: string[]; team_names?: Record<string, string> };
  return { languages: languages ?? LANGUAGES, names: names ?? {} };
}
