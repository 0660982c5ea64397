// The subject and the text of a draft, and their change before it is sent.

import { useState } from "preact/hooks";

import { useAction } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { useSay } from "../../../live/hooks";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";
import { AMENDABLE } from "./Recipients";

type Draft = EmailThreadsApi.DraftView;
type Props = { draft: Draft; onChange: () => void };

const LONGEST_SUBJECT = 300; // characters
const LONGEST_TEXT = 50_000;

export function DraftText({ draft, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isAmendable = AMENDABLE.includes(String(draft.draft_status));
  if (isOpen && isAmendable) return <Form draft={draft} onChange={onChange} onDone={() => setOpen(false)} />;
  return (
    <>
      <p class="quiet">{t("draft.subject_line", { subject: draft.subject })}</p>
      <p class="mail-text" dir="auto">{draft.body_text}</p>
      {isAmendable && (
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {t("draft.edit")}
        </Button>
      )}
    </>
  );
}

function Form({ draft, onChange, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const say = useSay("email_threads", draft.conversation_id);
  const [opened] = useState(draft); // A colleague's later change is not overwritten.
  const [subject, setSubject] = useState(draft.subject);
  const [text, setText] = useState(draft.body_text);
  const path = { conversation_id: draft.conversation_id, reply_id: draft.reply_id };
  const save = useAction(async () => {
    const body = { version: opened.version, ...(subject !== opened.subject && { subject }), ...(text !== opened.body_text && { body_text: text }) };
    if (Object.keys(body).length > 1) await client.call("PATCH /email-threads/{conversation_id}/replies/{reply_id}", { path, body });
    onDone();
    onChange();
  });
  return (
    <form
      class="resolve"
      aria-label={t("draft.edit")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Field label={t("draft.subject")} name="subject" error={save.error}>
        <input value={subject} maxLength={LONGEST_SUBJECT} onInput={(event) => setSubject(event.currentTarget.value)} />
      </Field>
      <Field label={t("draft.text")} name="body_text" error={save.error}>
        <textarea dir="auto"
          rows={8}
          value={text}
          maxLength={LONGEST_TEXT}
          onInput={(event) => {
            setText(event.currentTarget.value);
            say("typing");
          }}
        />
      </Field>
      {save.error && <ErrorNotice error={save.error} fields={["subject", "body_text"]} />}
      <div class="mail-actions">
        <Button kind="primary" type="submit" busy={save.busy} disabled={!subject.trim() || !text.trim()}>
          {t("draft.save_text")}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
