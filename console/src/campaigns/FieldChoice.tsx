// Which field of a contact a variable of the template shows, and what people without it read.

import type { ApiError } from "../api/errors";
import type { Definition } from "../contacts/source";
import { t } from "../texts/texts";
import { Field } from "../ui/controls";
import { choiceOf, CONTACT_FIELDS, type Choice, type Entered } from "./source";

interface Props {
  variable: string;
  place: number; // among the variables of the template
  error: ApiError | null;
  state: Entered;
  attributes: Definition[];
  onWrite: (changed: Partial<Entered>) => void;
}

export function FieldChoice({ variable, place, error, state, attributes, onWrite }: Props) {
  const choice = choiceOf(state, variable);
  const write = (changed: Partial<Choice>) => onWrite({ choices: { ...state.choices, [variable]: { ...choice, ...changed } } });
  return (
    <fieldset class="campaign-value">
      <legend>{t("template.value", { name: variable })}</legend>
      <Field label={t("campaign.field")} name={`bodyFields.${place}.field`} error={error}>
        <select value={choice.field} onChange={(event) => write({ field: event.currentTarget.value })}>
          {CONTACT_FIELDS.map((field) => (
            <option key={field} value={field}>
              {t(`segment.field.${field}`)}
            </option>
          ))}
          {attributes.map(({ name, title }) => (
            <option key={name} value={`attributes.${name}`}>
              {title}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("campaign.fallback")} name={`bodyFields.${place}.default`} error={error}>
        <input value={choice.fallback} maxLength={1024} placeholder={t("campaign.fallback.none")} onInput={(event) => write({ fallback: event.currentTarget.value })} />
      </Field>
    </fieldset>
  );
}
