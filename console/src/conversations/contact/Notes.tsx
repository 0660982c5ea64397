// Internal notes of a conversation: writes one, shows one in the timeline. The same in all contexts.

import { useAction } from "../../api/resource";
import { actor, clock } from "../../texts/format";
import { t } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Icon } from "../../ui/icons";
import { NoteText } from "../../ui/NoteText";
import { Button, ErrorNotice, Field } from "../../ui/controls";

interface FormProps {
  conversation: string;
  count: number;
  longest: number; // characters
  onAdd: (text: string, key: string) => Promise<unknown>; // with an Idempotency-Key. Throws ApiError
  onChange: () => void;
}

export function NoteForm({ conversation, count, longest, onAdd, onChange }: FormProps) {
  const draft = useDraft(`note:${conversation}`);
  const { text } = draft;
  const add = useAction(async () => {
    await onAdd(text, draft.keyFor(text));
    draft.sent(text);
    onChange();
  });
  return (
    <section class="facts-part">
      <h3>
        <Icon name="note" size={16} /> {t("facts.notes")} {count > 0 && <span class="quiet">{count}</span>}
      </h3>
      <Field label={t("note.label")} name="text" error={add.error}>
        <textarea data-command="note" rows={3} maxLength={longest} value={text} placeholder={t("note.placeholder")} onInput={(event) => draft.write(event.currentTarget.value)} />
      </Field>
      {add.error && !add.error.problemOf("text") && <ErrorNotice error={add.error} />}
      <Button busy={add.busy} disabled={!text.trim()} onClick={() => void add.run()}>
        {t("note.add")}
      </Button>
    </section>
  );
}

export function NoteCard({ note, me }: { note: { text: string; by: string; at: string }; me: string | null }) {
  return (
    <div class="note">
      <Icon name="note" size={16} />
      <div>
        <NoteText text={note.text} />
        <p class="bubble-foot">
          <span>{t("note.by", { who: actor(note.by, me) })}</span>
          <time dateTime={note.at}>{clock(note.at)}</time>
        </p>
      </div>
    </div>
  );
}
