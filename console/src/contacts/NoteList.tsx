// Notes about a person: writes, changes and removes them.

import { useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp, useSession } from "../app";
import { NoteForm } from "../conversations/contact/Notes";
import { rightsOf } from "../operations/access";
import { actor, moment } from "../texts/format";
import { t } from "../texts/texts";
import { Button, ErrorNotice, Field, MoreButton } from "../ui/controls";
import { Icon } from "../ui/icons";
import { NoteText } from "../ui/notes/NoteText";
import { usePageList } from "../api/pageList";
import { notesOf, type Note } from "./source";

const LONGEST = 4_000;

export function NoteList({ contactId, me }: { contactId: string; me: string | null }) {
  const { client } = useApp();
  const notes = usePageList((cursor, signal) => notesOf(client, contactId, cursor, signal), [client, contactId]);
  return (
    <div class="contact-notes">
      <NoteForm
        conversation={`contact/${contactId}`}
        count={notes.items.length}
        longest={LONGEST}
        mentions={false}
        onAdd={(text, key) => client.call("POST /contacts/{contact_id}/notes", { path: { contact_id: contactId }, body: { text }, key })}
        onChange={() => void notes.reload()}
      />
      {notes.first.error && <ErrorNotice error={notes.first.error} onRetry={() => void notes.reload()} />}
      <ul class="contact-list">
        {notes.items.map((note) => (
          <li key={note.noteId}>
            <Entry contactId={contactId} note={note} me={me} onChange={notes.reload} />
          </li>
        ))}
      </ul>
      <MoreButton isOffered={notes.hasMore} next={notes.next} />
    </div>
  );
}

function Entry({ contactId, note, me, onChange }: { contactId: string; note: Note; me: string | null; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const { admin } = rightsOf(useSession());
  const [edited, setEdited] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const path = { contact_id: contactId, note_id: note.noteId };
  const save = useAction(async () => {
    await client.call("PATCH /contacts/{contact_id}/notes/{note_id}", { path, body: { text: edited ?? note.text, version: note.version } });
    await onChange();
    setEdited(null);
  });
  const remove = useAction(async () => {
    await client.call("DELETE /contacts/{contact_id}/notes/{note_id}", { path });
    await onChange();
  });
  const mayChange = admin || note.by === me;
  return (
    <div class="note">
      <Icon name="note" size={16} />
      <div>
        {edited === null ? (
          <NoteText text={note.text} />
        ) : (
          <Field label={t("note.label")} name="text" error={save.error}>
            <textarea dir="auto" rows={3} maxLength={LONGEST} value={edited} onInput={(event) => setEdited(event.currentTarget.value)} />
          </Field>
        )}
        {save.error && !save.error.problemOf("text") && <ErrorNotice error={save.error} />}
        {remove.error && <ErrorNotice error={remove.error} />}
        <p class="bubble-foot">
          <span>{t("note.by", { who: actor(note.by, me) })}</span>
          <time dateTime={note.at}>{moment(note.at)}</time>
          {note.editedAt && <span>{t("contact.edited", { at: moment(note.editedAt) })}</span>}
        </p>
        {mayChange && (
          <div class="contact-buttons">
            {edited !== null ? (
              <>
                <Button kind="primary" busy={save.busy} disabled={!edited.trim()} onClick={() => void save.run()}>
                  {t("contact.save")}
                </Button>
                <Button kind="quiet" onClick={() => setEdited(null)}>
                  {t("contact.cancel")}
                </Button>
              </>
            ) : isAsked ? (
              <>
                <Button kind="primary" busy={remove.busy} onClick={() => void remove.run()}>
                  {t("contact.note_remove_for_good")}
                </Button>
                <Button kind="quiet" onClick={() => setAsked(false)}>
                  {t("contact.cancel")}
                </Button>
              </>
            ) : (
              <>
                <Button kind="quiet" onClick={() => setEdited(note.text)}>
                  {t("contact.edit")}
                </Button>
                <Button kind="quiet" onClick={() => setAsked(true)}>
                  {t("contact.note_remove")}
                </Button>
              </>
            )}
          </div>
        )}
      </div>
    </div>
  );
}
