// Beside the conversation: who the customer is, what agents set, notes.

import { useApp } from "../../app";
import { actor, moment } from "../../texts/format";
import { t, type Key } from "../../texts/texts";
import { Avatar, Badge, Button, ErrorNotice } from "../../ui/controls";
import { Fact } from "../../ui/frame";
import { AssignMenu } from "../contact/AssignMenu";
import { Labels } from "../contact/Labels";
import { NoteForm } from "../contact/Notes";
import { OtherConversations } from "../contact/OtherConversations";
import { titleOf, type Head, type Note } from "./conversationData";
import { useChange } from "./StateActions";

interface Props {
  head: Head;
  me: string | null;
  notes: Note[];
  onChange: () => Promise<void>; // until the present state is loaded
}

export function Facts({ head, me, notes, onChange }: Props) {
  const { client } = useApp();
  const path = { key: head.key };
  const { change, busy, error } = useChange(head, onChange);
  // An undo: refused if a colleague has changed something that this page has not read.
  const reassign = async (assignee: string | null) => {
    await client.call("PATCH /whatsapp/conversations/{key}", { path, body: { assignee, revision: head.revision } });
    await onChange();
  };
  return (
    <>
      <div class="facts-person">
        <Avatar name={titleOf(head)} />
        <h3>{titleOf(head)}</h3>
      </div>
      {error && <ErrorNotice error={error} />}
      <dl>
        {head.customerText && <Fact label={t("facts.phone")}>{head.customerText}</Fact>}
        {head.username && <Fact label={t("facts.username")}>@{head.username}</Fact>}
        <Fact label={t("facts.status")}>
          <Badge kind={head.status === "open" ? "accent" : "plain"}>{t(`inbox.status.${head.archived ? "archived" : head.status}` as Key)}</Badge>
          {head.snoozedUntil && <span class="quiet"> {t("facts.snoozed", { at: moment(head.snoozedUntil) })}</span>}
        </Fact>
        <Fact label={t("facts.assignee")}>
          {head.assignee ? actor(head.assignee, me) : <span class="quiet">{t("facts.unassigned")}</span>}
          <AssignMenu assignee={head.assignee ?? null} me={me} busy={busy} canRemove onAssign={(assignee, isUndo) => (isUndo ? reassign(assignee) : change({ assignee }, false))} />
        </Fact>
      </dl>
      <Labels
        conversation={head.key}
        labels={head.labels}
        onSet={({ labels }) => client.call("PATCH /whatsapp/conversations/{key}", { path, body: { labels, revision: head.revision } })}
        onChange={onChange}
      />
      <NoteForm
        conversation={head.key}
        count={notes.length}
        longest={4_000}
        onAdd={(text, key) => client.call("POST /whatsapp/conversations/{key}/notes", { path, body: { text }, key })}
        onChange={onChange}
      />
      <OtherConversations handles={[head.senderPhone ?? head.customer ?? head.username]} context="whatsapp" id={head.key} />
      <div class="facts-end">
        <Button kind="quiet" icon="archive" busy={busy} onClick={() => void change({ archived: !head.archived })}>
          {t(head.archived ? "action.unarchive" : "action.archive")}
        </Button>
      </div>
    </>
  );
}
