// Internal notes of a conversation: writes one, shows one in the timeline. The same in all contexts.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { mentionables, withIds } from "../../notifications/mentions";
import { usePeople } from "../../session/people";
import { actor, clock } from "../../texts/format";
import { t } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Icon } from "../../ui/icons";
import { NoteText } from "../../ui/notes/NoteText";
import { Button, ErrorNotice, Field } from "../../ui/controls";

interface FormProps {
  conversation: string;
  count: number;
  longest: number; // characters
  onAdd: (text: string, key: string) => Promise<unknown>; // with an Idempotency-Key. Throws ApiError
  onChange: () => void;
  mentions?: boolean; // whether @ mentions people and teams
}

export function NoteForm({ conversation, count, longest, onAdd, onChange, mentions = true }: FormProps) {
  const draft = useDraft(`note:${conversation}`);
  const people = usePeople();
  const { text } = draft;
  const props = { "data-command": "note", rows: 3, maxLength: longest, placeholder: t("note.placeholder") };
  const { value: loaded } = useResource(async () => (mentions ? import("../../notifications/MentionArea") : null), []);
  const [area, setArea] = useState<typeof loaded>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  // Not while a person writes: the focus would be lost.
  const offer = () => void (document.activeElement !== plain.current && setArea(loaded));
  useEffect(offer, [loaded]);
  const add = useAction(async () => {
    // Names change: a note has the ids of those it mentions.
    await onAdd(mentions && people ? withIds(text, mentionables(people)) : text, draft.keyFor(text));
    draft.sent(text);
    onChange();
  });
  return (
    <section class="facts-part">
      <h3>
        <Icon name="note" size={16} /> {t("facts.notes")} {count > 0 && <span class="quiet">{count}</span>}
      </h3>
      <Field label={t("note.label")} name="text" error={add.error}>
        {area ? (
          <area.MentionArea {...props} text={text} write={draft.write} />
        ) : (
          <textarea dir="auto" {...props} ref={plain} value={text} onBlur={offer} onInput={(event) => draft.write(event.currentTarget.value)} />
        )}
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
