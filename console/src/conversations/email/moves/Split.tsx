// Moves mails of a thread to a new one: which ones, what happens, and its undo.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { Dialog } from "../../../shell/Dialog";
import { t } from "../../../texts/texts";
import { Button } from "../../../ui/controls";
import { Later } from "../../../ui/Later";

type Mail = EmailThreadsApi.MailView;

export interface SplitProps {
  thread: EmailThreadsApi.OpenedThread;
  n: number; // of the mail whose button it is
  mails: readonly Mail[]; // that are loaded, newest first
  drafts: readonly EmailThreadsApi.DraftView[];
  onChange: () => void;
}

export function Split(props: SplitProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("action.split")}
      </Button>
      {isOpen && (
        <Dialog label={t("split.title")} onClose={() => setOpen(false)}>
          <Later load={() => import("./SplitDialog")} show={({ SplitDialog }) => <SplitDialog {...props} onDone={() => setOpen(false)} />} />
        </Dialog>
      )}
    </>
  );
}
