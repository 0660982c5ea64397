// Beside the conversation: who the customer is, what agents set, notes.

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp } from "../app";
import { actor, moment, phone } from "../format";
import { t, type Key } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Avatar, Badge, Button, ErrorNotice, Field } from "../ui/parts";
import { Fact } from "../ui/frame";
import { AssignMenu } from "../contact/AssignMenu";
import { OtherConversations } from "../contact/OtherConversations";
import { draftOf, keepDraft } from "../drafts";
import { titleOf, type Head, type Note } from "./data";
import { useChange } from "./StateActions";

interface Props {
  head: Head;
  me: string | null;
  notes: Note[];
  onChange: () => void;
}

export function Facts({ head, me, notes, onChange }: Props) {
  const { change, busy, error } = useChange(head, onChange);
  return (
    <>
      <div class="facts-person">
        <Avatar name={titleOf(head)} />
        <h3>{phone(titleOf(head))}</h3>
      </div>
      {error && <ErrorNotice error={error} />}
      <dl>
        {(head.senderPhone ?? head.customer) && <Fact label={t("facts.phone")}>{phone((head.senderPhone ?? head.customer)!)}</Fact>}
        {head.username && <Fact label={t("facts.username")}>@{head.username}</Fact>}
        <Fact label={t("facts.status")}>
          <Badge kind={head.status === "open" ? "accent" : "plain"}>{t(`inbox.status.${head.archived ? "archived" : head.status}` as Key)}</Badge>
          {head.snoozedUntil && <span class="quiet"> {moment(head.snoozedUntil)}</span>}
        </Fact>
        <Fact label={t("facts.assignee")}>
          {head.assignee ? actor(head.assignee, me) : <span class="quiet">{t("facts.nobody")}</span>}
          <AssignMenu assignee={head.assignee ?? null} me={me} busy={busy} canRemove onAssign={(assignee) => void change({ assignee })} />
        </Fact>
      </dl>
      <Labels head={head} busy={busy} change={(labels) => change({ labels, revision: head.revision })} />
      <NoteForm conversation={head.key} count={notes.length} onChange={onChange} />
      <OtherConversations handles={[head.senderPhone ?? head.customer, head.username]} context="whatsapp" id={head.key} />
      <div class="facts-end">
        <Button kind="quiet" icon="archive" busy={busy} onClick={() => void change({ archived: !head.archived })}>
          {t(head.archived ? "action.unarchive" : "action.archive")}
        </Button>
      </div>
    </>
  );
}

function Labels({ head, busy, change }: { head: Head; busy: boolean; change: (labels: string[]) => Promise<boolean> }) {
  const [text, setText] = useState("");
  const add = async () => {
    const label = text.trim();
    if (label && (await change([...new Set([...head.labels, label])]))) setText("");
  };
  return (
    <section class="facts-part">
      <h3>
        <Icon name="tag" size={16} /> {t("facts.labels")}
      </h3>
      <ul class="labels">
        {head.labels.map((label) => (
          <li key={label} class="label">
            {label}
            <button type="button" aria-label={t("labels.remove", { label })} disabled={busy} onClick={() => void change(head.labels.filter((one) => one !== label))}>
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input aria-label={t("labels.add")} placeholder={t("labels.add")} maxLength={50} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </form>
    </section>
  );
}

function NoteForm({ conversation, count, onChange }: { conversation: string; count: number; onChange: () => void }) {
  const { client } = useApp();
  const draft = `note:${conversation}`;
  const [text, setText] = useState(() => draftOf(draft));
  useEffect(() => keepDraft(draft, text), [draft, text]);
  const action = useAction(async () => {
    await client.call("POST /whatsapp/conversations/{key}/notes", { path: { key: conversation }, body: { text } });
    setText("");
    onChange();
  });
  return (
    <section class="facts-part">
      <h3>
        <Icon name="note" size={16} /> {t("facts.notes")} {count > 0 && <span class="quiet">{count}</span>}
      </h3>
      <Field label={t("note.label")} name="text" error={action.error}>
        <textarea rows={3} maxLength={4000} value={text} placeholder={t("note.placeholder")} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {action.error && !action.error.problemOf("text") && <ErrorNotice error={action.error} />}
      <Button busy={action.busy} disabled={!text.trim()} onClick={() => void action.run()}>
        {t("note.add")}
      </Button>
    </section>
  );
}
