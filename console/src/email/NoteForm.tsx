import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp } from "../app";
import { draftOf, keepDraft } from "../drafts";
import { t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Button, ErrorNotice, Field } from "../ui/parts";

export function NoteForm({ thread, count, onChange }: { thread: string; count: number; onChange: () => void }) {
  const { client } = useApp();
  const draft = `note:${thread}`;
  const [text, setText] = useState(() => draftOf(draft));
  useEffect(() => keepDraft(draft, text), [draft, text]);
  const add = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/notes", { path: { conversation_id: thread }, body: { text } });
    setText("");
    onChange();
  });
  return (
    <section class="facts-part">
      <h3>
        <Icon name="note" size={16} /> {t("facts.notes")} {count > 0 && <span class="quiet">{count}</span>}
      </h3>
      <Field label={t("note.label")} name="text" error={add.error}>
        <textarea rows={3} maxLength={4000} value={text} placeholder={t("note.placeholder")} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {add.error && !add.error.problemOf("text") && <ErrorNotice error={add.error} />}
      <Button busy={add.busy} disabled={!text.trim()} onClick={() => void add.run()}>
        {t("note.add")}
      </Button>
    </section>
  );
}
