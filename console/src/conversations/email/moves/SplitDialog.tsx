// The dialog that moves mails of a thread to a new one: which ones, and what happens.

import { useState } from "preact/hooks";

import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { moment } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { filesOf, LONGEST_SUBJECT, MOST_MOVED, snippetOf } from "./shown";
import type { SplitProps } from "./Split";

export function SplitDialog({ thread, n, mails, drafts, onChange, onDone }: SplitProps & { onDone: () => void }) {
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
