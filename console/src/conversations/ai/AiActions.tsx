// Who leads the conversation: take it over, give it to a colleague, hand it back to the model. Snooze it.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { AssignMenu } from "../contact/AssignMenu";
import { Snooze } from "../contact/Snooze";
import { useSay } from "../../live/hooks";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { ENDED, type Head } from "./conversationState";

export function AiActions({ head, me, onChange }: { head: Head; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const path = { ref: head.ref };
  const say = useSay("conversations", head.ref);
  const takeOver = async (body: { force?: boolean; held_by?: string; assignee?: string }) => {
    await client.call("POST /conversations/{ref}/take-over", { path, body });
    onChange();
  };
  const handBack = async () => {
    await client.call("POST /conversations/{ref}/hand-back", { path, body: { answer_pending: true } });
    onChange();
  };
  let assignee: string | null = null;
  const take = useAction(async () => {
    if (!assignee) say("taking_over");
    const force = head.owner != null && head.owner !== me;
    await takeOver({ force, ...(assignee ? { assignee } : {}) });
    // The model leads again only where it led before.
    if (assignee) return;
    const before = head.owner;
    if (head.mode === "ai" && !head.hand_off_to_human && !head.waits_for_approval) showToast(t("undo.taken_over"), handBack);
    // A team or a colleague had it: refused if another person has taken it meanwhile.
    else if (before && me && before !== me) showToast(t("undo.taken_over"), () => takeOver({ held_by: me, assignee: before }));
  });
  const giveBack = useAction(async () => {
    await handBack();
    showToast(t("undo.handed_back"), () => takeOver({}));
  });
  if (ENDED.includes(head.conversation_status)) return null;
  const give = (one: string | null, isUndo = false) => {
    if (one === null) return;
    // Refused if a colleague has it by now, also when this page no longer learns of it.
    if (isUndo) return takeOver({ held_by: head.owner!, assignee: one });
    assignee = one;
    return take.run();
  };
  const snooze = (until: string | null, isUndo: boolean) => {
    const known = isUndo ? { revision: head.revision } : {};
    return until
      ? client.call("POST /conversations/{ref}/snooze", { path, body: { snoozed_until: until, ...known } })
      : client.call("POST /conversations/{ref}/wake", { path, body: known });
  };
  const error = take.error ?? giveBack.error;
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <AssignMenu assignee={head.owner ?? null} me={me} busy={take.busy} canRemove={false} onAssign={give} />
      <Snooze until={head.snoozed_until ?? null} onSnooze={snooze} onChange={onChange} />
      {head.mode === "human" && head.owner === me ? (
        <Button icon="robot" busy={giveBack.busy} onClick={() => void giveBack.run()}>
          {t("ai.hand_back")}
        </Button>
      ) : (
        <Button icon="person" kind="primary" busy={take.busy} onClick={() => void take.run()}>
          {t("ai.take_over")}
        </Button>
      )}
    </>
  );
}
