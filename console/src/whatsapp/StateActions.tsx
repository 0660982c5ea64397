// What agents do with a conversation: take, resolve, snooze, archive.

import { useAction } from "../api/resource";
import { useApp } from "../app";
import { useSay } from "../live/hooks";
import { locale, t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Button, ErrorNotice, Menu } from "../ui/parts";
import type { Routes } from "../api/client";
import type { Head } from "./data";

type Change = Routes["PATCH /whatsapp/conversations/{key}"]["body"];

export function useChange(head: Head, onChange: () => void) {
  const { client } = useApp();
  let wanted: Change = {};
  const action = useAction(async () => {
    await client.call("PATCH /whatsapp/conversations/{key}", { path: { key: head.key }, body: wanted });
    onChange();
  });
  const change = (body: Change) => {
    wanted = body;
    return action.run();
  };
  return { change, busy: action.busy, error: action.error };
}

export function StateActions({ head, me, onChange }: { head: Head; me: string | null; onChange: () => void }) {
  const { change, busy, error } = useChange(head, onChange);
  const say = useSay("whatsapp", head.key);
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {me && head.assignee !== me && (
        <Button icon="person" busy={busy} onClick={() => {
            say("taking_over");
            void change({ assignee: me });
          }}>
          {t("action.assign_me")}
        </Button>
      )}
      {head.status === "open" ? (
        <>
          <Menu label={t("action.snooze")} button={<Icon name="clock" size={16} />}>
            {(close) => (
              <div class="choices">
                <p class="choices-title">{t("snooze.title")}</p>
                {snoozes().map(({ label, at }) => (
                  <button
                    key={label}
                    type="button"
                    class="choice"
                    onClick={() => {
                      close();
                      void change({ status: "snoozed", snoozedUntil: at.toISOString() });
                    }}
                  >
                    <span>{label}</span>
                    <span class="quiet">{at.toLocaleString(locale, { weekday: "short", hour: "2-digit", minute: "2-digit" })}</span>
                  </button>
                ))}
              </div>
            )}
          </Menu>
          <Button icon="check" kind="primary" busy={busy} onClick={() => void change({ status: "resolved" })}>
            {t("action.resolve")}
          </Button>
        </>
      ) : (
        <Button busy={busy} onClick={() => void change({ status: "open" })}>
          {t("action.reopen")}
        </Button>
      )}
    </>
  );
}

function snoozes(): { label: string; at: Date }[] {
  const soon = new Date(Date.now() + 3 * 3_600_000);
  const tomorrow = atNine(1);
  const monday = atNine(((8 - new Date().getDay()) % 7) || 7);
  return [
    { label: t("snooze.hours"), at: soon },
    { label: t("snooze.tomorrow"), at: tomorrow },
    { label: t("snooze.monday"), at: monday },
  ];
}

function atNine(days: number): Date {
  const date = new Date();
  date.setDate(date.getDate() + days);
  date.setHours(9, 0, 0, 0);
  return date;
}
