// Which column of a file is which field of contacts, and what else is to be done with all rows.

import type { ApiError } from "../../api/errors";
import { named, t } from "../../texts/texts";
import { Field } from "../../ui/controls";
import { CHANNELS, isRegion, STATES, type AttestedState, type ConsentChannel, type ContactList, type Entered, type Preview } from "./source";

const ATTRIBUTE = "attribute:";
const LONGEST_SOURCE = 300; // characters

export function fieldText(field: string): string {
  return field.startsWith(ATTRIBUTE) ? t("exchange.attribute", { name: field.slice(ATTRIBUTE.length) }) : named("exchange.field", field);
}

export function Mapping({ state, preview, columns, lists, error, onWrite }: {
  state: Entered;
  preview: Preview;
  columns: (string | null)[];
  lists: ContactList[];
  error: ApiError | null;
  onWrite: (next: Entered) => void;
}) {
  const choose = (place: number, field: string) => onWrite({ ...state, columns: columns.map((one, at) => (at === place ? field || null : one)) });
  return (
    <div class="ops-editor">
      {preview.columns.map(({ name }, place) => (
        <Field key={name} label={name} name={`columns.${place}`} error={error}>
          <select value={columns[place] ?? ""} onChange={(event) => choose(place, event.currentTarget.value)}>
            <option value="">{t("exchange.skip")}</option>
            {preview.fields.map((field) => (
              <option key={field} value={field}>
                {fieldText(field)}
              </option>
            ))}
          </select>
        </Field>
      ))}
      <Field label={t("exchange.region")} name="region" error={error}>
        <input
          type="text"
          maxLength={2}
          autoComplete="off"
          aria-invalid={!isRegion(state.region)}
          value={state.region}
          onInput={(event) => onWrite({ ...state, region: event.currentTarget.value.trim().toUpperCase() })}
        />
      </Field>
      <label class="choice-line">
        <input type="checkbox" checked={state.fills} onChange={(event) => onWrite({ ...state, fills: event.currentTarget.checked })} />
        <span>{t("exchange.fills")}</span>
      </label>
      <Field label={t("exchange.list")} name="list_id" error={error}>
        <select value={state.listId} onChange={(event) => onWrite({ ...state, listId: event.currentTarget.value })}>
          <option value="">{t("exchange.list.none")}</option>
          {lists.map(({ listId, name }) => (
            <option key={listId} value={listId}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Attested state={state} error={error} onWrite={onWrite} />
    </div>
  );
}

// What all people of the file have said is recorded only with its source.
function Attested({ state, error, onWrite }: { state: Entered; error: ApiError | null; onWrite: (next: Entered) => void }) {
  const toggle = (channel: ConsentChannel, isOn: boolean) =>
    onWrite({ ...state, channels: CHANNELS.filter((one) => (one === channel ? isOn : state.channels.includes(one))) });
  return (
    <fieldset>
      <legend>{t("exchange.consent")}</legend>
      <p class="quiet">{t("exchange.consent.about")}</p>
      {CHANNELS.map((channel) => (
        <label key={channel} class="choice-line">
          <input type="checkbox" checked={state.channels.includes(channel)} onChange={(event) => toggle(channel, event.currentTarget.checked)} />
          <span>{named("channel", channel)}</span>
        </label>
      ))}
      {state.channels.length > 0 && (
        <>
          <Field label={t("exchange.consent.state")} name="consent.state" error={error}>
            <select value={state.state} onChange={(event) => onWrite({ ...state, state: event.currentTarget.value as AttestedState })}>
              {STATES.map((one) => (
                <option key={one} value={one}>
                  {t(`exchange.consent.state.${one}`)}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t("exchange.consent.source")} name="consent.source" error={error}>
            <input
              type="text"
              required
              maxLength={LONGEST_SOURCE}
              value={state.source}
              onInput={(event) => onWrite({ ...state, source: event.currentTarget.value })}
            />
          </Field>
          <Field label={t("exchange.consent.day")} name="consent.given_at" error={error}>
            <input type="date" required value={state.day} onInput={(event) => onWrite({ ...state, day: event.currentTarget.value })} />
          </Field>
        </>
      )}
    </fieldset>
  );
}
