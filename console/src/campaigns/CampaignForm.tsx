// A new campaign: to whom, which template, its values, when. It is made as a draft, whose recipients are looked at first.

import { useState } from "preact/hooks";
import { useResource, useAction } from "../api/resource";
import { useApp } from "../app";
import { bodyOf, completed, fileKindOf, filled, headerOf, type Template } from "../conversations/whatsapp/templateParts";
import { placeOf } from "../shell/router";
import { isolated, locale, t } from "../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../ui/controls";
import { useDraft } from "../ui/draft";
import { audiencesOf, choiceOf, fieldsOf, fixedOf, idOf, kept, nameOfField, numbersOf, requestOf, templatesOf, variablesOf, type Entered } from "./source";
import { FieldChoice } from "./FieldChoice";
import { TestSend } from "./TestSend";
import { TrialFields } from "./trials/TrialFields";

const FORM = "campaign";
const AHEAD_MS = 120_000; // the API takes times from a minute on

interface Props {
  onCreated: (campaignId: string) => void;
  onClose: () => void;
}

export function CampaignForm({ onCreated, onClose }: Props) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const state = kept(draft.text);
  const write = (changed: Partial<Entered>) => draft.write(JSON.stringify({ ...state, ...changed }));
  const known = useResource(
    async (signal) => {
      const [numbers, audiences, attributes] = await Promise.all([numbersOf(client, signal), audiencesOf(client, signal), fieldsOf(client, signal)]);
      return { numbers: numbers.filter(({ waba }) => waba), audiences, attributes };
    },
    [client],
  );
  const number = known.value?.numbers.find(({ phone }) => phone === state.phone) ?? known.value?.numbers[0];
  const templates = useResource(async (signal) => (number?.waba ? templatesOf(client, number.waba, "APPROVED", signal) : []), [client, number?.waba]);
  const usable = templates.value?.filter((one) => fileKindOf(one) === null) ?? [];
  const chosen = usable.find((one) => idOf(one) === state.template);
  const complete = useResource(async (signal) => (chosen && number?.waba ? completed(client, number.waba, chosen, signal) : null), [client, chosen && idOf(chosen), number?.waba]);
  const template = complete.value;
  const [second, setSecond] = useState<Template | null>(null);
  const fixed = template ? fixedOf(template) : [];
  const create = useAction(async () => {
    if (!template || !number) return;
    const body = requestOf(state, template, number, second);
    const { result } = await client.call("POST /whatsapp/actions/create_campaign", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    onCreated(result.campaignId);
  });
  const isComplete = Boolean(template && state.name.trim() && state.audience && fixed.every(({ id }) => state.fixed[id]?.trim()) && (!state.trial.isOn || second));
  if (known.error) return <ErrorNotice error={known.error} onRetry={() => void known.reload()} />;
  if (!known.value) return <Skeleton rows={5} kind="row" />;
  if (!number) return <p class="notice">{t("campaign.no_number")}</p>;
  if (known.value.audiences.length === 0)
    return (
      <p class="notice">
        {t("campaign.no_audience")}{" "}
        <a class="link" href={placeOf("operations", "contacts")}>
          {t("campaign.import")}
        </a>
      </p>
    );
  const { numbers, audiences, attributes } = known.value;
  return (
    <form
      class="ops-editor campaign-form"
      aria-label={t("campaign.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <Field label={t("campaign.name")} name="campaignName" error={create.error}>
        <input value={state.name} maxLength={100} required onInput={(event) => write({ name: event.currentTarget.value })} />
      </Field>
      {numbers.length > 1 && (
        <Field label={t("campaign.number")} name="phone" error={create.error}>
          <select value={number.phone} onChange={(event) => write({ phone: event.currentTarget.value, template: "" })}>
            {numbers.map(({ phone, displayText }) => (
              <option key={phone} value={phone}>
                {isolated(displayText)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t("campaign.audience")} name="audience" error={create.error}>
        <select value={state.audience} required onChange={(event) => write({ audience: event.currentTarget.value })}>
          <option value="">{t("campaign.choose")}</option>
          {(["list", "segment"] as const).map((kind) => (
            <optgroup key={kind} label={t(`campaign.audience.${kind}`)}>
              {audiences.filter((one) => one.kind === kind).map(({ id, name }) => (
                <option key={id} value={`${kind}/${id}`}>
                  {name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </Field>
      <p class="quiet">
        {t("campaign.from_file")}{" "}
        <a class="link" href={placeOf("operations", "contacts")}>
          {t("campaign.import")}
        </a>
      </p>
      <Field label={t("campaign.template")} name="templateName" error={create.error}>
        <select value={chosen ? state.template : ""} required onChange={(event) => write({ template: event.currentTarget.value, choices: {}, fixed: {} })}>
          <option value="">{t("campaign.choose")}</option>
          {usable.map((one) => (
            <option key={idOf(one)} value={idOf(one)}>
              {one.name} ({one.language})
            </option>
          ))}
        </select>
      </Field>
      {templates.error && <ErrorNotice error={templates.error} onRetry={() => void templates.reload()} />}
      {templates.value && usable.length < templates.value.length && <p class="quiet">{t("campaign.without_files", { count: templates.value.length - usable.length })}</p>}
      {complete.error && <ErrorNotice error={complete.error} onRetry={() => void complete.reload()} />}
      {template && (
        <>
          <Shown template={template} state={state} />
          {variablesOf(template).map((name, place) => (
            <FieldChoice key={name} variable={name} place={place} error={create.error} state={state} attributes={attributes} onWrite={write} />
          ))}
          {fixed.map(({ id, text }) => (
            <Field key={id} label={text === null ? t("template.header") : t("template.button", { name: text })} name={id}>
              <input value={state.fixed[id] ?? ""} maxLength={1024} required onInput={(event) => write({ fixed: { ...state.fixed, [id]: event.currentTarget.value } })} />
            </Field>
          ))}
          <TestSend key={idOf(template)} template={template} state={state} phone={number.phone} />
        </>
      )}
      <label class="choice-line">
        <input type="checkbox" checked={state.trial.isOn} onChange={(event) => write({ trial: { ...state.trial, isOn: event.currentTarget.checked } })} /> {t("campaign.trial.on")}
      </label>
      {state.trial.isOn && <TrialFields state={state} usable={usable} waba={number.waba ?? ""} attributes={attributes} error={create.error} onWrite={write} onTemplate={setSecond} />}
      <Field label={t("campaign.at")} name="scheduledAt" error={create.error}>
        <input type="datetime-local" value={state.at} min={localTime(Date.now() + AHEAD_MS)} onInput={(event) => write({ at: event.currentTarget.value })} />
      </Field>
      <p class="quiet">{t("campaign.at.about", { zone: Intl.DateTimeFormat(locale).resolvedOptions().timeZone })}</p>
      <Field label={t("campaign.pace")} name="messagesPerSecond" error={create.error}>
        <input type="number" min={1} max={100} value={state.pace} onInput={(event) => write({ pace: event.currentTarget.value })} />
      </Field>
      {create.error && <ErrorNotice error={create.error} onRetry={() => void create.run()} fields={["campaignName", "phone", "audience", "templateName", "scheduledAt", "messagesPerSecond", "bodyFields", "test"]} />}
      <div class="ops-editor-end">
        <Button kind="quiet" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" kind="primary" busy={create.busy} disabled={!isComplete}>
          {t("campaign.create")}
        </Button>
      </div>
      <p class="quiet">{t("campaign.create.about")}</p>
    </form>
  );
}

// As a person sees it, with the names of the fields instead of their values.
function Shown({ template, state }: { template: Template; state: Entered }) {
  const shownAs = (name: string) => `[${nameOfField(choiceOf(state, name).field)}]`;
  return (
    <div class="picker-preview" dir="auto" role="group" aria-label={t("campaign.preview")}>
      {headerOf(template) && (
        <p>
          <b>{filled(headerOf(template), () => state.fixed.header)}</b>
        </p>
      )}
      <p>{filled(bodyOf(template), shownAs)}</p>
    </div>
  );
}

function localTime(ms: number): string {
  const at = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return at.toISOString().slice(0, 16);
}
