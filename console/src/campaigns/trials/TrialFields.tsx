// A new campaign's test of a second template: which one, its values, and the rule by which one of both is better.

import { useResource } from "../../api/resource";
import type { ApiError } from "../../api/errors";
import { useApp } from "../../app";
import { bodyOf, completed, filled, type Template } from "../../conversations/whatsapp/templateParts";
import type { Definition } from "../../contacts/source";
import { named, t } from "../../texts/texts";
import { ErrorNotice, Field } from "../../ui/controls";
import { FieldChoice } from "../FieldChoice";
import { choiceOf, fixedOf, idOf, nameOfField, variablesOf, type Entered, type TrialEntered } from "../source";

const MEASURES = ["read", "delivered", "replied"] as const;
const CONFIDENCES = ["90", "95", "99"];

interface Props {
  state: Entered;
  usable: Template[];
  waba: string;
  attributes: Definition[];
  error: ApiError | null;
  onWrite: (changed: Partial<Entered>) => void;
  onTemplate: (template: Template | null) => void;
}

export function TrialFields({ state, usable, waba, attributes, error, onWrite, onTemplate }: Props) {
  const { client } = useApp();
  const { trial } = state;
  const write = (changed: Partial<TrialEntered>) => onWrite({ trial: { ...trial, ...changed } });
  const chosen = usable.find((one) => idOf(one) === trial.template);
  const complete = useResource(async (signal) => {
    const template = chosen ? await completed(client, waba, chosen, signal) : null;
    onTemplate(template);
    return template;
  }, [client, chosen && idOf(chosen), waba]);
  const template = complete.value;
  const ofTrial: Entered = { ...state, choices: trial.choices };
  const number = (name: "share" | "minimum" | "hours", min: number, max: number) => (
    <Field label={t(`campaign.trial.${name}`)} name={`test.${name}`} error={error}>
      <input type="number" min={min} max={max} required value={trial[name]} onInput={(event) => write({ [name]: event.currentTarget.value })} />
    </Field>
  );
  return (
    <fieldset class="campaign-trial">
      <legend>{t("campaign.trial")}</legend>
      <Field label={t("campaign.trial.second")} name="test.template.templateName" error={error}>
        <select value={chosen ? trial.template : ""} required onChange={(event) => write({ template: event.currentTarget.value, choices: {} })}>
          <option value="">{t("campaign.choose")}</option>
          {usable.filter((one) => idOf(one) !== state.template && fixedOf(one).length === 0).map((one) => (
            <option key={idOf(one)} value={idOf(one)}>
              {one.name} ({one.language})
            </option>
          ))}
        </select>
      </Field>
      {complete.error && <ErrorNotice error={complete.error} onRetry={() => void complete.reload()} />}
      {template && (
        <>
          <div class="picker-preview" dir="auto" role="group" aria-label={t("campaign.trial.preview")}>
            <p>{filled(bodyOf(template), (name) => `[${nameOfField(choiceOf(ofTrial, name).field)}]`)}</p>
          </div>
          {variablesOf(template).map((name, place) => (
            <FieldChoice key={name} variable={name} place={place} error={null} state={ofTrial} attributes={attributes} onWrite={({ choices }) => write({ choices: choices ?? {} })} />
          ))}
        </>
      )}
      <Field label={t("campaign.trial.measure")} name="test.measure" error={error}>
        <select value={trial.measure} onChange={(event) => write({ measure: event.currentTarget.value as TrialEntered["measure"] })}>
          {MEASURES.map((one) => (
            <option key={one} value={one}>
              {named("campaign.result", one)}
            </option>
          ))}
        </select>
      </Field>
      {number("share", 2, 90)}
      {number("minimum", 1, 100_000)}
      {number("hours", 1, 72)}
      <Field label={t("campaign.trial.confidence")} name="test.confidence" error={error}>
        <select value={trial.confidence} onChange={(event) => write({ confidence: event.currentTarget.value })}>
          {CONFIDENCES.map((one) => (
            <option key={one} value={one}>
              {one} %
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("campaign.trial.decision")} name="test.decision" error={error}>
        <select value={trial.decision} onChange={(event) => write({ decision: event.currentTarget.value as TrialEntered["decision"] })}>
          <option value="rule">{t("campaign.trial.decision.rule")}</option>
          <option value="person">{t("campaign.trial.decision.person")}</option>
        </select>
      </Field>
      <p class="quiet">{t("campaign.trial.about")}</p>
    </fieldset>
  );
}
