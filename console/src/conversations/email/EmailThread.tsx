// An e-mail thread: its mails as text, its drafts and their review, an answer.

import { useMemo, useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../api/routes";
import { useOlder } from "../../api/older";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { consentOf } from "../contact/consent";
import { OptedOut } from "../contact/OptedOut";
import { AssignMenu } from "../contact/AssignMenu";
import { Labels } from "../contact/Labels";
import { NoteCard, NoteForm } from "../contact/Notes";
import { OtherConversations } from "../contact/OtherConversations";
import { Snooze } from "../contact/Snooze";
import { DraftCard, SENDING } from "./drafts/DraftCard";
import { Reminder, ReminderFact } from "./FollowUp";
import { Joining } from "./moves/Joining";
import { Macros } from "./Macros";
import { MailCard } from "./MailCard";
import { ClosedDrafts } from "./drafts/SendTime";
import { Merge, MergedThreads } from "./moves/Merge";
import { Split } from "./moves/Split";
import { SatisfactionFact, Targets } from "./Targets";
import { undoOf } from "./undo";
import { Writer } from "./Writer";
import { actor, moment } from "../../texts/format";
import { Colleagues, useLiveConversation, useSay } from "../../live/hooks";
import { isolated, named, t } from "../../texts/texts";
import { Fact, Frame } from "../../ui/frame";
import { Timeline, type Entry } from "../../ui/timeline/Timeline";
import { olderOf } from "../timelineSource";
import { showToast } from "../../ui/toastList";
import { Badge, Button, Empty, ErrorNotice, Menu, Skeleton } from "../../ui/controls";

type Thread = EmailThreadsApi.OpenedThread;
type Mail = EmailThreadsApi.MailView;
type ThreadChange = EmailThreadsApi.ThreadChange;

const POLL_MS = 10_000;
const DONE = ["completed", "archived"];
const DELIVERED_WITHIN_MS = 30_000; // mostly

// The provider's report about a mail brings no hint.
function isOnItsWay(mail: Mail): boolean {
  return mail.direction === "outbound" && !mail.delivery && Date.now() - Date.parse(mail.received_at) < DELIVERED_WITHIN_MS;
}

export function EmailThread({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const path = { conversation_id: id };
  const loaded = useLiveConversation(
    "email_threads",
    id,
    async (signal) => {
      const { result } = await client.call("GET /email-threads/{conversation_id}", { path, signal, query: { mails: 50, notes: 50, drafts: "1" } });
      return { thread: result, mails: result.mails?.mails ?? [], before: result.mails?.next_before ?? null, drafts: result.drafts?.drafts ?? [], notes: result.notes?.notes ?? [] };
    },
    [client, id],
    POLL_MS,
    ({ drafts, mails }) => drafts.some((draft) => SENDING.includes(String(draft.draft_status))) || mails.some(isOnItsWay),
  );
  const newest = useMemo(() => loaded.value && { items: loaded.value.mails, cursor: loaded.value.before }, [loaded.value]);
  const older = useOlder<Mail, number>(newest, (mail) => mail.n, async (before) => {
    const page = await client.call("GET /email-threads/{conversation_id}/emails", { path, query: { before, limit: 50 } });
    return { items: page.result.mails, cursor: page.result.next_before ?? null };
  });
  if (loaded.value === null) {
    return (
      <main class="pane">
        {loaded.error ? <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} /> : <Skeleton rows={4} kind="bubble" />}
      </main>
    );
  }
  const { thread, drafts, notes } = loaded.value;
  const reload = () => void loaded.reload();
  const entries: Entry[] = [...older.items].reverse().map((mail) => ({
    key: String(mail.n),
    at: mail.received_at,
    text: mail.erased ? "" : mail.new_text || mail.body,
    isMessage: true,
    content: (
      <MailCard mail={mail} thread={id} onChange={reload}>
        {older.items.length > 1 && !mail.erased && <Split thread={thread} n={mail.n} mails={older.items} drafts={drafts} onChange={reload} />}
      </MailCard>
    ),
  }));
  for (const draft of drafts) {
    entries.push({ key: draft.reply_id, at: draft.updated_at, text: "", isMessage: false, content: <DraftCard draft={draft} me={me} onChange={reload} /> });
  }
  for (const note of notes) {
    entries.push({ key: `note-${note.k}`, at: note.at, text: note.text, isMessage: false, content: <NoteCard note={note} me={me} /> });
  }
  entries.sort((one, other) => one.at.localeCompare(other.at));
  return (
    <Frame
      title={thread.subject}
      icon="mail"
      line={[thread.participant, thread.mailbox].filter(Boolean).map(isolated).join(" → ")}
      colleagues={<Colleagues context="email_threads" id={id} />}
      back={back}
      actions={<Actions thread={thread} me={me} onChange={reload} />}
      facts={<Facts thread={thread} me={me} onChange={reload} />}
      foot={<Foot thread={thread} me={me} onChange={reload} />}
    >
      {loaded.error && <ErrorNotice error={loaded.error} onRetry={reload} />}
      {older.next.error && <ErrorNotice error={older.next.error} onRetry={() => void older.next.run()} />}
      <Timeline entries={entries} older={olderOf(older, (mail) => ({ at: mail.received_at, text: mail.new_text || mail.body }))} empty={<Empty icon="mail" title={t("timeline.empty")} />} />
    </Frame>
  );
}

function Actions({ thread, me, onChange }: { thread: Thread; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const path = { conversation_id: thread.conversation_id };
  const say = useSay("email_threads", thread.conversation_id);
  const change = async (body: ThreadChange) => {
    const { result } = await client.call("PATCH /email-threads/{conversation_id}", { path, body });
    onChange();
    return result.last_seq;
  };
  let assignee = me;
  const take = useAction(() => {
    if (assignee === me) say("taking_over");
    return change({ assigned_to: assignee });
  });
  const isDone = DONE.includes(thread.status);
  const complete = useAction(async () => {
    const undo = undoOf(String(thread.status), await change({ status: isDone ? "active" : "completed" }));
    showToast(t(isDone ? "undo.reopened" : "undo.resolved"), undo && (() => change(undo)));
  });
  const isWaiting = ["active", "pending_info"].includes(thread.status);
  const isSpam = thread.tags.includes("spam");
  const mark = async (asSpam: boolean) => {
    await client.call(asSpam ? "POST /email-threads/{conversation_id}/spam" : "POST /email-threads/{conversation_id}/not-spam", { path });
    onChange();
  };
  const spam = useAction(async () => {
    await mark(!isSpam);
    showToast(t(isSpam ? "undo.not_spam" : "undo.spam"), () => mark(isSpam));
  });
  const error = take.error ?? complete.error ?? spam.error;
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <AssignMenu
        assignee={thread.assigned_to ?? null}
        me={me}
        busy={take.busy}
        canRemove
        offersMe
        onAssign={(one, isUndo) => {
          if (isUndo) return change({ assigned_to: one, expected_seq: thread.last_seq });
          assignee = one;
          return take.run();
        }}
      />
      <Macros thread={thread.conversation_id} seq={thread.last_seq} onChange={onChange} />
      {isWaiting && (
        <Snooze
          until={thread.snoozed_until ?? null}
          onSnooze={(until, isUndo) => client.call("PATCH /email-threads/{conversation_id}", { path, body: { snoozed_until: until, ...(isUndo ? { expected_seq: thread.last_seq } : {}) } })}
          onChange={onChange}
        />
      )}
      <Menu label={t("action.more")} button="…">
        {(close) => (
          <div class="choices">
            {isWaiting && <Reminder thread={thread} onChange={onChange} onDone={close} />}
            <Merge thread={thread} onChange={onChange} />
            {thread.participant && (
              <button type="button" class="choice" disabled={spam.busy} onClick={() => void spam.run().then((isMade) => isMade && close())}>
                {t(isSpam ? "action.not_spam" : "action.spam")}
              </button>
            )}
          </div>
        )}
      </Menu>
      <Button icon="check" kind={isDone ? "plain" : "primary"} busy={complete.busy} onClick={() => void complete.run()}>
        {t(isDone ? "action.reopen" : "action.resolve")}
      </Button>
    </>
  );
}

function Foot({ thread, me, onChange }: { thread: Thread; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const consent = useResource((signal) => consentOf(client, thread.participant ?? null, "email", signal), [client, thread.participant]);
  if (consent.value?.state === "opted_out") {
    return (
      <footer class="composer">
        <OptedOut consent={consent.value} me={me} />
      </footer>
    );
  }
  return <Writer thread={thread.conversation_id} onChange={onChange} />;
}

function Facts({ thread, me, onChange }: { thread: Thread; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const path = { conversation_id: thread.conversation_id };
  const analysis = thread.ai_analysis;
  const [isClosedOpen, setClosedOpen] = useState(false);
  return (
    <>
      <dl>
        <Fact label={t("facts.status")}>
          <Badge kind="accent">{named("status", String(thread.status))}</Badge>
          {thread.snoozed_until && <span class="quiet"> {t("facts.snoozed", { at: moment(thread.snoozed_until) })}</span>}
        </Fact>
        <Fact label={t("facts.assignee")}>{thread.assigned_to ? actor(thread.assigned_to, me) : <span class="quiet">{t("facts.unassigned")}</span>}</Fact>
        <Fact label={t("facts.people")}>{thread.participants.join(", ")}</Fact>
        <Targets thread={thread} />
        <ReminderFact thread={thread} />
        <SatisfactionFact thread={thread} />
        {thread.ai_dollars != null && <Fact label={t("made.cost")}>{`$${thread.ai_dollars}`}</Fact>}
        <Fact label={t("facts.created")}>{moment(thread.created_at)}</Fact>
      </dl>
      <Joining thread={thread} onChange={onChange} />
      <MergedThreads thread={thread} onChange={onChange} />
      {analysis?.summary && (
        <section class="facts-part">
          <h3>{t("facts.summary")}</h3>
          <p>{analysis.summary}</p>
          {analysis.needs_human && <Badge kind="warn">{t("ai.needs_person")}</Badge>}
        </section>
      )}
      {analysis && analysis.pending_info.length > 0 && (
        <section class="facts-part">
          <h3>{t("facts.open_questions")}</h3>
          <ul>
            {analysis.pending_info.map((question) => (
              <li key={question.field}>{question.question}</li>
            ))}
          </ul>
        </section>
      )}
      <Labels
        conversation={thread.conversation_id}
        labels={thread.tags}
        onSet={({ added, removed }) => client.call("PATCH /email-threads/{conversation_id}", { path, body: { add_tags: added, remove_tags: removed } })}
        onChange={onChange}
      />
      <section class="facts-part">
        {isClosedOpen ? (
          <>
            <h3>{t("draft.closed")}</h3>
            <ClosedDrafts thread={thread.conversation_id} onChange={onChange} />
          </>
        ) : (
          <Button kind="quiet" onClick={() => setClosedOpen(true)}>
            {t("draft.closed")}
          </Button>
        )}
      </section>
      <NoteForm
        conversation={thread.conversation_id}
        count={thread.note_count}
        longest={10_000}
        onAdd={(text, key) => client.call("POST /email-threads/{conversation_id}/notes", { path, body: { text }, key })}
        onChange={onChange}
      />
      <OtherConversations handles={[thread.participant]} context="email_threads" id={thread.conversation_id} />
    </>
  );
}
