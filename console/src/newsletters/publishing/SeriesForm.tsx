// A series: what each of its newsletters is about, when it runs, and to which list an issue is prepared.

import type { ApiError } from "../../api/errors";
import { useResource } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { useApp } from "../../app";
import { locale, t } from "../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { PlanFields, type Plan, planOf } from "../steps/PlanForm";
import { audiencesOf, optionsOf, optionText, stored, type PublicList, type Series } from "../source";

const UNITS = ["days", "weeks", "months"] as const;
const WEEK = [1, 2, 3, 4, 5, 6, 0]; // 0 is Sunday
const SUNDAY = Date.UTC(2026, 0, 4);
const FIELDS = ["title", "selected_types", "timezone", "rule.every", "rule.weekdays", "rule.day_of_month", "rule.time", "issue.permission_line"];

interface Entered {
  title: string;
  plan: Plan;
  types: string[]; // display names
  unit: (typeof UNITS)[number];
  every: number;
  weekdays: number[];
  dayOfMonth: number;
  time: string;
  timezone: string;
  list: string; // empty: no issue
  permission: string;
}

interface Props {
  of: Series | undefined; // none: a new one
  onStored: () => Promise<void>;
  onClose: () => void;
}

export function SeriesForm({ of, onStored, onClose }: Props) {
  const { client } = useApp();
  const draft = useDraft(`newsletter series ${of?.series_id ?? ""}`);
  const found = useResource(async (signal) => {
    const [options, { published }] = await Promise.all([optionsOf(client, signal), audiencesOf(client, signal)]);
    return { options, published };
  }, [client]);
  const entered: Entered = { ...enteredOf(of), ...keptIn(draft.text) };
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...keptIn(draft.text), ...change }));
  const published = found.value?.published ?? [];
  const store = useChange(async () => {
    const values = bodyOf(entered, of, published);
    if (of) {
      const body = { ...values, version: of.version };
      await client.call("PATCH /newsletters/series/{series_id}", { path: { series_id: of.series_id }, body, key: draft.keyFor(body) });
    } else {
      await client.call("POST /newsletters/series", { body: values, key: draft.keyFor(values) });
    }
    draft.write("");
    stored();
    await onStored();
  });
  const { error } = store;
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (!found.value) return <Skeleton rows={5} kind="row" />;
  const { options } = found.value;
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t(of ? "newsletter.series.edit" : "newsletter.series.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h3>{of ? <bdi>{of.title}</bdi> : t("newsletter.series.new")}</h3>
      <Field label={t("newsletter.field.title")} name="title" error={error}>
        <input value={entered.title} required maxLength={150} dir="auto" onInput={(event) => write({ title: event.currentTarget.value })} />
      </Field>
      <PlanFields options={options} entered={entered.plan} write={(change) => write({ plan: { ...entered.plan, ...change } })} error={error} prefix="newsletter." />
      <fieldset class="newsletter-choices">
        <legend class="field-label">{t("newsletter.topics.choose")}</legend>
        {(options.selected_types ?? []).map((one) => (
          <Tick key={one.value} text={optionText("selected_types", one)} value={one.label!} chosen={entered.types} onChoose={(types) => write({ types })} />
        ))}
      </fieldset>
      {error?.problemOf("selected_types") && <p class="field-problem" role="alert">{error.problemOf("selected_types")}</p>}
      <Calendar entered={entered} write={write} error={error} />
      <div class="newsletter-columns">
        <Field label={t("newsletter.series.list")} name="issue.list_ids" error={error}>
          <select value={entered.list} onChange={(event) => write({ list: event.currentTarget.value })}>
            <option value="">{t("newsletter.series.no_list")}</option>
            {entered.list && !published.some(({ list_id }) => list_id === entered.list) && <option value={entered.list}>{t("newsletter.series.kept")}</option>}
            {published.map(({ list_id, title }) => (
              <option key={list_id} value={list_id}>
                {title}
              </option>
            ))}
          </select>
        </Field>
        {entered.list && (
          <Field label={t("newsletter.issue.permission")} name="issue.permission_line" error={error}>
            <input value={entered.permission} required maxLength={300} dir="auto" onInput={(event) => write({ permission: event.currentTarget.value })} />
          </Field>
        )}
      </div>
      <p class="quiet">{t("newsletter.series.list.about")}</p>
      {error && <ErrorNotice error={error} onRetry={() => void store.run()} fields={FIELDS} />}
      <div class="ops-editor-end">
        <Button kind="quiet" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" kind="primary" busy={store.busy}>
          {t(of ? "newsletter.store" : "newsletter.series.create")}
        </Button>
      </div>
    </form>
  );
}

function Calendar({ entered, write, error }: { entered: Entered; write: (change: Partial<Entered>) => void; error: ApiError | null }) {
  return (
    <>
      <div class="newsletter-columns">
        <Field label={t("newsletter.series.unit")} name="rule.unit" error={error}>
          <select value={entered.unit} onChange={(event) => write({ unit: event.currentTarget.value as Entered["unit"] })}>
            {UNITS.map((one) => (
              <option key={one} value={one}>
                {t(`newsletter.series.unit.${one}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("newsletter.series.every")} name="rule.every" error={error}>
          <input type="number" min={1} max={365} required value={entered.every} onInput={(event) => write({ every: event.currentTarget.valueAsNumber })} />
        </Field>
        {entered.unit === "months" && (
          <Field label={t("newsletter.series.day")} name="rule.day_of_month" error={error}>
            <input type="number" min={1} max={31} required value={entered.dayOfMonth} onInput={(event) => write({ dayOfMonth: event.currentTarget.valueAsNumber })} />
          </Field>
        )}
        <Field label={t("newsletter.series.time")} name="rule.time" error={error}>
          <input type="time" required value={entered.time} onInput={(event) => write({ time: event.currentTarget.value })} />
        </Field>
        <Field label={t("newsletter.series.zone")} name="timezone" error={error}>
          <input value={entered.timezone} required dir="ltr" list="newsletter-zones" onInput={(event) => write({ timezone: event.currentTarget.value })} />
        </Field>
        <datalist id="newsletter-zones">
          {Intl.supportedValuesOf("timeZone").map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      {entered.unit === "weeks" && (
        <fieldset class="newsletter-choices">
          <legend class="field-label">{t("newsletter.series.weekdays")}</legend>
          {WEEK.map((day) => (
            <Tick key={day} text={weekday(day)} value={day} chosen={entered.weekdays} onChoose={(weekdays) => write({ weekdays })} />
          ))}
        </fieldset>
      )}
      {error?.problemOf("rule") && <p class="field-problem" role="alert">{error.problemOf("rule")}</p>}
    </>
  );
}

function Tick<Value>({ text, value, chosen, onChoose }: { text: string; value: Value; chosen: Value[]; onChoose: (chosen: Value[]) => void }) {
  return (
    <label class="choice-line">
      <input type="checkbox" checked={chosen.includes(value)} onChange={(event) => onChoose(event.currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))} />
      <span>{text}</span>
    </label>
  );
}

function weekday(day: number): string {
  return new Date(SUNDAY + day * 86_400_000).toLocaleDateString(locale, { weekday: "long", timeZone: "UTC" });
}

function enteredOf(of: Series | undefined): Entered {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const issue = (of?.issue ?? {}) as Partial<NewslettersApi.SeriesIssueInput>;
  return {
    title: of?.title ?? "",
    plan: planOf((of?.newsletter ?? {}) as Partial<Plan>),
    types: of?.selected_types ?? [],
    unit: of?.rule.unit ?? "weeks",
    every: of?.rule.every ?? 1,
    weekdays: of?.rule.weekdays ?? [1],
    dayOfMonth: of?.rule.day_of_month ?? 1,
    time: of?.rule.time ?? "09:00",
    timezone: of?.timezone ?? zone,
    list: issue.list_ids?.[0] ?? "",
    permission: issue.permission_line ?? "",
  };
}

function bodyOf(entered: Entered, of: Series | undefined, published: PublicList[]): NewslettersApi.SeriesInput {
  const { title, plan, types, unit, every, weekdays, dayOfMonth, time, timezone } = entered;
  const days = unit === "weeks" ? { weekdays } : unit === "months" ? { day_of_month: dayOfMonth } : {};
  return {
    title,
    newsletter: plan as NewslettersApi.NewsletterInput,
    selected_types: types,
    rule: { unit, every, time, ...days },
    timezone,
    issue: issueOf(entered, of, published),
  };
}

// What the API alone sets of an issue, such as segments, stays while the list is the same.
function issueOf({ list, permission }: Entered, of: Series | undefined, published: PublicList[]): NewslettersApi.SeriesIssueInput | null {
  const present = of?.issue as NewslettersApi.SeriesIssueInput | null | undefined;
  if (!list) return present && !present.list_ids?.length ? present : null; // to segments
  if (present?.list_ids?.[0] === list) return { ...present, permission_line: permission };
  const sender = published.find(({ list_id }) => list_id === list);
  return {
    list_ids: [list],
    sender: sender?.sender ?? "",
    sender_name: sender?.sender_name ?? "",
    ...(sender?.reply_to ? { reply_to: sender.reply_to } : {}),
    postal_address: sender?.postal_address ?? "",
    permission_line: permission,
  };
}

function keptIn(text: string): Partial<Entered> {
  try {
    return JSON.parse(text || "{}") as Partial<Entered>;
  } catch {
    return {}; // of another version of the page
  }
}
