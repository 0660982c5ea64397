// What agents do with a conversation: take, resolve, snooze, archive.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { Snooze } from "../contact/Snooze";
import { useSay } from "../../live/hooks";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import type { Client } from "../../api/client";
import type { Head } from "./conversationData";
import { inverseOf, textOf, type Change } from "./undo";

// *withUndo*: offers it for some seconds.
export function useChange(head: Head, onChange: () => Promise<void>) {
  const { client } = useApp();
  const path = { key: head.key };
  let wanted: { body: Change; withUndo: boolean } = { body: {}, withUndo: false };
  const action = useAction(async () => {
    const { body, withUndo } = wanted;
    const { result } = await client.call("PATCH /whatsapp/conversations/{key}", { path, body });
    await onChange();
    if (!withUndo) return;
    const inverse = inverseOf(body, head, result.revision);
    showToast(t(textOf(body)), async () => {
      await client.call("PATCH /whatsapp/conversations/{key}", { path, body: inverse });
      await onChange();
    });
  });
  const change = (body: Change, withUndo = true) => {
    wanted = { body, withUndo };
    return action.run();
  };
  return { change, busy: action.busy, error: action.error };
}

export function StateActions({ head, me, onChange }: { head: Head; me: string | null; onChange: () => Promise<void> }) {
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
      {head.status !== "resolved" && <Snooze until={head.snoozedUntil ?? null} onSnooze={(until, isUndo) => snooze(client, head, until, isUndo)} onChange={onChange} />}
      {head.status !== "resolved" ? (
        <Button icon="check" kind="primary" busy={busy} onClick={() => void change({ status: "resolved" })}>
          {t("action.resolve")}
        </Button>
      ) : (
        <Button icon="check" busy={busy} onClick={() => void change({ status: "open" })}>
          {t("action.reopen")}
        </Button>
      )}
    </>
  );
}

// An undo is refused if a colleague has resolved or changed it since this page read it.
function snooze(client: Client, head: Head, until: string | null, isUndo: boolean): Promise<unknown> {
  const body: Change = until ? { status: "snoozed", snoozedUntil: until } : { status: "open" };
  if (isUndo) body.revision = head.revision;
  return client.call("PATCH /whatsapp/conversations/{key}", { path: { key: head.key }, body });
}
