// A reminder for the case that the customer does not answer.

import { useRef } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { EmailThreadsApi } from "../../api/routes";
import { useApp } from "../../app";
import { moment } from "../../texts/format";
import { t } from "../../texts/texts";
import { ErrorNotice } from "../../ui/controls";
import { Fact } from "../../ui/frame";
import { showToast } from "../../ui/toastList";

const DAY_MS = 86_400_000;
const CHOICES = [
  { days: 1, label: "remind.day" },
  { days: 3, label: "remind.three_days" },
  { days: 7, label: "remind.week" },
] as const;

interface Props {
  thread: EmailThreadsApi.OpenedThread;
  onChange: () => void;
}

// Entries of a menu.
export function Reminder({ thread, onChange, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const wanted = useRef<string | null>(null);
  const path = { conversation_id: thread.conversation_id };
  const action = useAction(async () => {
    const before = thread.reminder?.remind_at ?? null;
    const { result } = await client.call("PATCH /email-threads/{conversation_id}", { path, body: { remind_at: wanted.current } });
    onChange();
    showToast(t(wanted.current ? "undo.reminded" : "undo.reminder_ended"), async () => {
      await client.call("PATCH /email-threads/{conversation_id}", { path, body: { remind_at: before, expected_seq: result.last_seq } });
      onChange();
    });
  });
  const run = (at: string | null) => {
    wanted.current = at;
    return action.run();
  };
  const choices = thread.reminder
    ? [{ label: "action.remind_end", at: () => null } as const]
    : CHOICES.map(({ days, label }) => ({ label, at: () => new Date(Date.now() + days * DAY_MS).toISOString() }));
  return (
    <>
      {!thread.reminder && <p class="choices-title">{t("remind.title")}</p>}
      {action.error && <ErrorNotice error={action.error} />}
      {choices.map(({ label, at }) => (
        <button
          key={label}
          type="button"
          class="choice"
          disabled={action.busy}
          onClick={async () => {
            if (await run(at())) onDone();
          }}
        >
          {t(label)}
        </button>
      ))}
    </>
  );
}

export function ReminderFact({ thread }: { thread: EmailThreadsApi.OpenedThread }) {
  return (
    <>
      {thread.reminder && <Fact label={t("facts.reminder")}>{moment(thread.reminder.remind_at)}</Fact>}
      {thread.closes_at && <Fact label={t("facts.closes")}>{moment(thread.closes_at)}</Fact>}
    </>
  );
}
