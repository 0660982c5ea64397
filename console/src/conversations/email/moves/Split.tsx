// Moves mails of a thread to a new one: which ones, what happens, and its undo.

import { useState } from "preact/hooks";

import { useAction } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { Dialog } from "../../../shell/Dialog";
import { moment } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { filesOf, LONGEST_SUBJECT, MOST_MOVED, snippetOf } from "./shown";

type Mail = EmailThreadsApi.MailView;

interface Props {
  thread: EmailThreadsApi.OpenedThread;
  n: number; // of the mail whose button it is
  mails: readonly Mail[]; // that are loaded, newest first
  drafts: readonly EmailThreadsApi.DraftView[];
  onChange: () => void;
}

export function Split(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("action.split")}
      </Button>
      {isOpen && (
        <Dialog label={t("split.title")} onClose={() => setOpen(false)}>
          <Look {...props} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

// What the split does, before it is made.
function Look({ thread, n, mails, drafts, onChange, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set([n]));
  const [subject, setSubject] = useState("");
  const moved = mails.filter((mail) => chosen.has(mail.n));
  const files = filesOf(moved);
  const waiting = drafts.filter((draft) => chosen.has(draft.in_reply_to_n)).length;
  const name = subject.trim() || thread.subject;
  const choose = (number: number, isChosen: boolean) => setChosen(new Set(isChosen ? [...chosen, number] : [...chosen].filter((one) => one !== number)));
  const split = useAction(async () => {
    const body = { mails: [...chosen].sort((one, other) => one - other), ...(subject.trim() && { subject: subject.trim() }) };
    const { result } = await client.call("POST /email-threads/{conversation_id}/split", { path: { conversation_id: thread.conversation_id }, body });
    onDone();
    onChange();
    showToast(t("undo.split"), async () => {
      await client.call("POST /email-threads/{conversation_id}/merge", { path: { conversation_id: result.into }, body: { into: thread.conversation_id } });
      onChange();
    });
  });
  const stays = mails.some((mail) => !chosen.has(mail.n));
  return (
    <>
      <h2>{t("split.title")}</h2>
      <fieldset class="choices">
        <legend class="choices-title">{t("split.choose", { most: MOST_MOVED })}</legend>
        {[...mails].reverse().map((mail) => (
          <label key={mail.n} class="choice-line">
            <input type="checkbox" checked={chosen.has(mail.n)} disabled={mail.erased === true} onChange={(event) => choose(mail.n, event.currentTarget.checked)} />
            <span>
              {[mail.from ?? "", moment(mail.received_at)].filter(Boolean).join(", ")}
              <span class="quiet"> {snippetOf(mail)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Field label={t("split.subject")} name="subject" error={split.error}>
        <input value={subject} placeholder={thread.subject} maxLength={LONGEST_SUBJECT} onInput={(event) => setSubject(event.currentTarget.value)} />
      </Field>
      <ul>
        <li>{t("split.moves", { count: chosen.size, subject: name })}</li>
        {files > 0 && <li>{t("split.files", { count: files })}</li>}
        {waiting > 0 && <li>{t("split.drafts", { count: waiting })}</li>}
        <li>{t("split.later")}</li>
        <li>{t("split.undo")}</li>
      </ul>
      {!stays && <p class="bubble-problem">{t("split.one_stays")}</p>}
      {split.error && <ErrorNotice error={split.error} fields={["subject"]} />}
      <Button kind="primary" busy={split.busy} disabled={chosen.size === 0 || chosen.size > MOST_MOVED || !stays} onClick={() => void split.run()}>
        {t("action.split")}
      </Button>
      <Button kind="quiet" onClick={onDone}>
        {t("action.cancel")}
      </Button>
    </>
  );
}
