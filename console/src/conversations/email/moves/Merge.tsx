// Makes a thread part of another one: which one, what happens, and its undo.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { Dialog } from "../../../shell/Dialog";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import { Later } from "../../../ui/Later";
import { showToast } from "../../../ui/toastList";

type Thread = EmailThreadsApi.OpenedThread;

export interface MergeProps {
  thread: Thread;
  onChange: () => void;
}

export function Merge({ thread, onChange }: MergeProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="choice" onClick={() => setOpen(true)}>
        {t("merge.open")}
      </button>
      {isOpen && (
        <Dialog label={t("merge.title")} onClose={() => setOpen(false)}>
          <Later load={() => import("./MergeDialog")} show={({ MergeDialog }) => <MergeDialog thread={thread} onChange={onChange} onDone={() => setOpen(false)} />} />
        </Dialog>
      )}
    </>
  );
}

// The threads that are part of this one, each with the undo of its merge, and the undo of a split.
export function MergedThreads({ thread, onChange }: MergeProps) {
  const merged = thread.undoable_merges;
  const source = thread.links.split_from ?? null;
  if (merged.length === 0 && source === null) return null;
  return (
    <section class="facts-part">
      <h3>{t("merge.parts")}</h3>
      {source && <Return thread={thread.conversation_id} into={source} onChange={onChange} />}
      {merged.map((one, number) => (
        <Undo key={one} id={one} number={number + 1} onChange={onChange} />
      ))}
    </section>
  );
}

// The undo of a split: the mails return to the thread that they came from.
function Return({ thread, into, onChange }: { thread: string; into: string; onChange: () => void }) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/merge", { path: { conversation_id: thread }, body: { into } });
    onChange();
    showToast(t("merge.undone"));
  });
  return (
    <>
      {undo.error && <ErrorNotice error={undo.error} />}
      <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
        {t("merge.undo_split")}
      </Button>
    </>
  );
}

function Undo({ id, number, onChange }: { id: string; number: number; onChange: () => void }) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/unmerge", { path: { conversation_id: id } });
    onChange();
    showToast(t("merge.undone"));
  });
  return (
    <>
      {undo.error && <ErrorNotice error={undo.error} />}
      <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
        {t("merge.undo_one", { number })}
      </Button>
    </>
  );
}
