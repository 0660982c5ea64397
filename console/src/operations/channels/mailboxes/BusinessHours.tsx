// The business hours of a mailbox: zone, weekly periods, holidays.

import type { ApiError } from "../../../api/errors";
import { locale, t } from "../../../texts/texts";
import { Button, Field } from "../../../ui/controls";
import { DAYS, toggled, USUAL, type Day, type FormHours, type Period } from "./hours";

const MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;
const MOST_PERIODS = 20;
const ZONES = "time-zones"; // id of the list

interface Props {
  hours: FormHours;
  error: ApiError | null;
  onChange: (hours: FormHours) => void;
}

export function BusinessHours({ hours, error, onChange }: Props) {
  const write = (change: Partial<FormHours>) => onChange({ ...hours, ...change });
  const { periods } = hours;
  const replace = (number: number, period: Period) => write({ periods: periods.map((one, at) => (at === number ? period : one)) });
  return (
    <fieldset class="hours">
      <legend class="field-label">{t("hours.title")}</legend>
      {periods.length === 0 && <p class="quiet">{t("hours.none")}</p>}
      {periods.map((period, number) => (
        <PeriodRow
          key={number}
          number={number}
          period={period}
          error={error}
          onChange={(changed) => replace(number, changed)}
          onRemove={() => write({ periods: periods.filter((_, at) => at !== number) })}
        />
      ))}
      <div class="mail-actions">
        <Button disabled={periods.length >= MOST_PERIODS} onClick={() => write({ periods: [...periods, USUAL] })}>
          {t("hours.add")}
        </Button>
      </div>
      {periods.length > 0 && (
        <>
          <Field label={t("hours.zone")} name="business_hours.time_zone" error={error}>
            <input value={hours.time_zone} list={ZONES} maxLength={64} onInput={(event) => write({ time_zone: event.currentTarget.value })} />
          </Field>
          <datalist id={ZONES}>
            {Intl.supportedValuesOf("timeZone").map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <Field label={t("hours.holidays")} name="business_hours.holidays" error={error}>
            <textarea dir="auto" rows={3} value={hours.holidays} placeholder="2026-12-25" onInput={(event) => write({ holidays: event.currentTarget.value })} />
          </Field>
        </>
      )}
    </fieldset>
  );
}

function PeriodRow({ number, period, error, onChange, onRemove }: {
  number: number;
  period: Period;
  error: ApiError | null;
  onChange: (period: Period) => void;
  onRemove: () => void;
}) {
  const field = `business_hours.periods.${number}`;
  const problem = error?.problemOf(`${field}.days`);
  return (
    <div class="hours-period" role="group" aria-label={t("hours.period", { number: number + 1 })}>
      <div class="hours-days">
        {DAYS.map((day) => (
          <label key={day} class="choice-line">
            <input type="checkbox" checked={period.days.includes(day)} onChange={() => onChange({ ...period, days: toggled(period.days, day) })} />
            <span>{nameOf(day)}</span>
          </label>
        ))}
      </div>
      <Field label={t("hours.start")} name={`${field}.start`} error={error}>
        <input type="time" required value={period.start} onInput={(event) => onChange({ ...period, start: event.currentTarget.value })} />
      </Field>
      <Field label={t("hours.end")} name={`${field}.end`} error={error}>
        <input type="time" required value={period.end} onInput={(event) => onChange({ ...period, end: event.currentTarget.value })} />
      </Field>
      <Button kind="quiet" label={t("hours.remove", { number: number + 1 })} onClick={onRemove}>
        {t("macro.remove")}
      </Button>
      {problem && (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function nameOf(day: Day): string {
  return new Date(MONDAY + DAYS.indexOf(day) * DAY_MS).toLocaleDateString(locale, { weekday: "short", timeZone: "UTC" });
}
