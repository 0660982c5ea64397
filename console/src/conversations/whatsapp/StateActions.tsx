// What agents do with a conversation: take, resolve, snooze, archive.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { Snooze } from "../contact/Snooze";
import { useSay } from "../../live/hooks";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import type { Client, Routes } from "../../api/client";
import type { Head } from "./conversationData";

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
  const { client } = useApp();
  const say = useSay("whatsapp", head.key);
  return (
    <>
      {error && <ErrorNotice error={error} />}
      {me && head.assignee !== me && (
        <Button icon="person" busy={busy} onClick={() => {
            say("taking_over");
            void change({ assignee: me, revision: head.revision }); // refused if a colleague was faster
          }}>
          {t("action.assign_me")}
        </Button>
      )}
      {head.status !== "resolved" && <Snooze until={head.snoozedUntil ?? null} onSnooze={(until) => snooze(client, head, until)} onChange={onChange} />}
      {head.status !== "resolved" ? (
        <Button icon="check" kind="primary" busy={busy} onClick={() => void change({ status: "resolved" })}>
          {t("action.resolve")}
        </Button>
      ) : (
        <Button busy={busy} onClick={() => void change({ status: "open" })}>
          {t("action.reopen")}
        </Button>
      )}
    </>
  );
}

function snooze(client: Client, head: Head, until: string | null): Promise<unknown> {
  const body: Change = until ? { status: "snoozed", snoozedUntil: until } : { status: "open" };
  return client.call("PATCH /whatsapp/conversations/{key}", { path: { key: head.key }, body });
}
