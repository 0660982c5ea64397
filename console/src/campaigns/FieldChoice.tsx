// Which field of a contact a variable of the template shows, and what people without it read.

import type { Definition } from "../contacts/source";
import { t } from "../texts/texts";
import { Field } from "../ui/controls";
import { choiceOf, CONTACT_FIELDS, type Choice, type Entered } from "./source";

interface Props {
  variable: string;
  state: Entered;
  attributes: Definition[];
  onWrite: (changed: Partial<Entered>) => void;
}

export function FieldChoice({ variable, state, attributes, onWrite }: Props) {
  const choice = choiceOf(state, variable);
  const write = (changed: Partial<Choice>) => onWrite({ choices: { ...state.choices, [variable]: { ...choice, ...changed } } });
  return (
    <fieldset class="campaign-value">
      <legend>{t("template.value", { name: variable })}</legend>
      <Field label={t("campaign.field")} name={`field ${variable}`}>
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
      <Field label={t("campaign.fallback")} name={`fallback ${variable}`}>
        <input value={choice.fallback} maxLength={1024} placeholder={t("campaign.fallback.none")} onInput={(event) => write({ fallback: event.currentTarget.value })} />
      </Field>
    </fieldset>
  );
}
