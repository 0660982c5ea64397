// Snoozes a conversation until a time of the viewer's zone, or wakes it. The same in all contexts.

import { useRef, useState } from "preact/hooks";
import { changedMeanwhile } from "../../api/errors";
import { useAction } from "../../api/resource";
import { locale, t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { Button, ErrorNotice, Menu } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const FIELDS = ["snoozedUntil", "snoozed_until"];

interface Props {
  until: string | null; // the end of a snooze that is not over
  onSnooze: (until: string | null, isUndo: boolean) => Promise<unknown>; // null: wake. Throws ApiError
  onChange: () => void | Promise<void>;
}

export function Snooze({ until, onSnooze, onChange }: Props) {
  // Here, not in the panel: a panel that closes keeps what was entered.
  const [entered, setEntered] = useState("");
  const wanted = useRef<string | null>(null);
  const latest = useRef({ until, onSnooze, onChange });
  latest.current = { until, onSnooze, onChange };
  const action = useAction(async () => {
    const end = wanted.current;
    await onSnooze(end, false);
    setEntered("");
    await onChange();
    showToast(t(end ? "undo.snoozed" : "undo.woken"), async () => {
      if (timeOf(latest.current.until) !== timeOf(end)) throw changedMeanwhile();
      await latest.current.onSnooze(until, true);
      await latest.current.onChange();
    });
  });
  const run = (end: Date | null) => {
    wanted.current = end?.toISOString() ?? null;
    return action.run();
  };
  if (until) {
    return (
      <>
        {action.error && <ErrorNotice error={action.error} />}
        <Button icon="inbox" busy={action.busy} onClick={() => void run(null)}>
          {t("action.wake")}
        </Button>
      </>
    );
  }
  const problem = FIELDS.map((field) => action.error?.problemOf(field)).find(Boolean) ?? null;
  return (
    <Menu command="snooze" label={t("action.snooze")} button={<Icon name="clock" size={16} />}>
      {(close) => {
        const snooze = async (end: Date) => {
          if (await run(end)) close();
        };
        return (
          <div class="choices">
            <p class="choices-title">{t("snooze.title")}</p>
            {action.error && !problem && <ErrorNotice error={action.error} />}
            {presets().map(({ label, at }) => (
              <button key={label} type="button" class="choice" disabled={action.busy} onClick={() => void snooze(at)}>
                <span>{label}</span>
                <span class="quiet">{at.toLocaleString(locale, { weekday: "short", hour: "2-digit", minute: "2-digit" })}</span>
              </button>
            ))}
            <FreeTime entered={entered} busy={action.busy} problem={problem} onEnter={setEntered} onSnooze={(end) => void snooze(end)} />
          </div>
        );
      }}
    </Menu>
  );
}

interface FreeTimeProps {
  entered: string;
  busy: boolean;
  problem: string | null; // what the API says about the time
  onEnter: (entered: string) => void;
  onSnooze: (end: Date) => void;
}

function FreeTime({ entered, busy, problem, onEnter, onSnooze }: FreeTimeProps) {
  const [isRefused, setRefused] = useState(false);
  const submit = () => {
    const end = new Date(entered);
    const isPossible = end.getTime() > Date.now() && end.getTime() <= Date.now() + MOST_DAYS * DAY_MS;
    setRefused(!isPossible);
    if (isPossible) onSnooze(end);
  };
  const shown = isRefused ? t("snooze.impossible") : problem;
  return (
    <form
      class="snooze-time"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label class="field">
        <span class="field-label">{t("snooze.time", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</span>
        <input
          type="datetime-local"
          value={entered}
          min={asEntered(new Date())}
          max={asEntered(new Date(Date.now() + MOST_DAYS * DAY_MS))}
          aria-invalid={shown !== null}
          onInput={(event) => {
            setRefused(false);
            onEnter(event.currentTarget.value);
          }}
        />
        {shown && (
          <span class="field-problem" role="alert">
            {shown}
          </span>
        )}
      </label>
      <Button type="submit" busy={busy} disabled={!entered}>
        {t("action.snooze")}
      </Button>
    </form>
  );
}

function timeOf(until: string | null): number {
  return until === null ? 0 : Date.parse(until);
}

// A time as the input has it: in the viewer's zone, to the minute.
function asEntered(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function presets(): { label: string; at: Date }[] {
  return [
    { label: t("snooze.hours"), at: new Date(Date.now() + 3 * 3_600_000) },
    { label: t("snooze.tomorrow"), at: atNine(1) },
    { label: t("snooze.monday"), at: atNine(((8 - new Date().getDay()) % 7) || 7) },
  ];
}

function atNine(days: number): Date {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(9, 0, 0, 0);
  return date;
}
