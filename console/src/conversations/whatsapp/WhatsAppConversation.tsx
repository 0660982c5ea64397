import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useOlder, type Older } from "../../api/older";
import { useApp, useSession } from "../../app";
import { Colleagues, useLiveConversation } from "../../live/hooks";
import { NoteCard } from "../contact/Notes";
import { isolated, t } from "../../texts/texts";
import { Empty, ErrorNotice, Skeleton } from "../../ui/controls";
import { Frame } from "../../ui/frame";
import { Timeline, type Entry, type UnreadEntries } from "../../ui/timeline/Timeline";
import { olderOf } from "../timelineSource";
import { CallLine } from "./message/content/CallLine";
import { Composer } from "./composer/Composer";
import { load, loadOlder, titleOf, type Call, type Loaded, type Message } from "./conversationData";
import { Facts } from "./Facts";
import { ChangeLine, MessageBubble, shortText } from "./message/MessageBubble";
import { firstUnread, missingUnread, type Unread } from "./message/unread";
import { StateActions } from "./StateActions";
import { textOf, UnsentBubble } from "./message/UnsentBubble";
import { useUnsent } from "../unsent/hooks";
import type { Unsent } from "../unsent/outbox";
import type { Body } from "../unsent/stores";

const POLL_MS = 5_000;
const FETCHED_MS = 300_000; // by then most files are; that they are brings no hint

export function WhatsAppConversation({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const known = useRef<Loaded | null>(null);
  const loaded = useLiveConversation(
    "whatsapp",
    id,
    async (signal) => (known.current = await load(client, id, signal, known.current)),
    [client, id],
    POLL_MS,
    ({ messages }) => messages.some((message) => message.media?.status === "PENDING" && Date.now() - Date.parse(message.receivedAt) < FETCHED_MS),
  );
  const [answered, setAnswered] = useState<Message | null>(null);
  const [sent, setSent] = useState(0);
  const value = loaded.value;
  const { current: calls } = useRef(new Map<string, Call>()); // of all loaded pages
  for (const call of value?.calls ?? []) calls.set(call.callId, call);
  const newest = useMemo(() => value && { items: value.messages, cursor: value.older }, [value]);
  const older = useOlder(newest, (message) => message.id, async (cursor) => {
    const page = await loadOlder(client, id, cursor);
    for (const call of page.result.calls ?? []) calls.set(call.callId, call);
    return { items: page.result.messages, cursor: page.cursor };
  });
  useMarkRead(id, value);
  const { outbox } = useApp();
  const unsent = useUnsent(id, () => void loaded.reload());
  useEffect(() => outbox.arrived(id, new Set(older.items.flatMap((message) => message.actionId ?? []))), [outbox, id, value]);
  const opened = useRef<Unread | null>(null);
  if (value !== null) opened.current ??= { count: value.head.unreadCount, newest: value.messages[0]?.id ?? null };

  if (value === null) {
    return (
      <main class="pane">
        {loaded.error ? <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} /> : <Skeleton rows={6} kind="bubble" />}
      </main>
    );
  }
  const { head } = value;
  const { reload } = loaded;
  const renew = async (message: Message) => {
    if (!(await older.renew(message.id))) await reload();
  };
  return (
    <Frame
      title={titleOf(head) || t("inbox.unknown")}
      icon="chat"
      line={[t("channel.whatsapp"), head.customerText].filter(Boolean).map(isolated).join(" · ")}
      colleagues={<Colleagues context="whatsapp" id={id} />}
      back={back}
      actions={<StateActions head={head} me={me} onChange={reload} />}
      facts={<Facts head={head} me={me} notes={value.notes} onChange={reload} />}
      foot={
        <Composer
          conversation={id}
          head={head}
          windowEndsAt={head.windowUntil ? Date.parse(head.windowUntil) : null}
          consent={value.consent}
          me={me}
          answered={answered}
          onAnswered={setAnswered}
          onPut={() => setSent((count) => count + 1)}
          onSent={() => {
            setSent((count) => count + 1);
            void reload();
          }}
        />
      }
    >
      {loaded.error && <ErrorNotice error={loaded.error} onRetry={() => void reload()} />}
      {value.consent?.state === "unavailable" && <p class="notice notice-warn" role="status">{t("optout.unavailable")}</p>}
      {older.next.error && <ErrorNotice error={older.next.error} onRetry={() => void older.next.run()} />}
      <Timeline
        entries={entriesOf(value, older.items, [...calls.values()], unsent, { id, me, onAnswer: setAnswered, onChange: reload, onRenew: (message) => void renew(message).catch(() => undefined) })}
        older={olderOf(older, (message) => ({ at: message.receivedAt, text: shortText(message) }))}
        unread={opened.current?.count ? unreadOf(older, opened.current) : null}
        sent={sent}
        empty={<Empty icon="chat" title={t("timeline.empty")} />}
      />
    </Frame>
  );
}

function unreadOf(older: Older<Message>, unread: Unread): UnreadEntries {
  return {
    first: firstUnread(older.items, unread, older.hasMore),
    load: async (signal) => {
      let missing = missingUnread(older.items, unread);
      await older.until((message) => message.direction === "INBOUND" && --missing <= 0, signal);
    },
  };
}

interface Acts {
  id: string;
  me: string | null;
  onAnswer: (message: Message) => void;
  onChange: () => void;
  onRenew: (message: Message) => void;
}

function entriesOf(value: Loaded, messages: Message[], calls: Call[], unsent: readonly Unsent<Body>[], { id, me, onAnswer, onChange, onRenew }: Acts): Entry[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const since = messages.at(-1)?.receivedAt ?? "";
  const entries: Entry[] = messages.map((message) => ({
    key: message.id,
    at: message.receivedAt,
    text: shortText(message),
    isMessage: true,
    content: (
      <MessageBubble
        message={message}
        quoted={message.replyTo ? (byId.get(message.replyTo) ?? null) : null}
        me={me}
        onAnswer={() => onAnswer(message)}
        onChange={onChange}
        onRenew={() => onRenew(message)}
      />
    ),
  }));
  for (const note of value.notes) {
    entries.push({ key: `note-${note.id}`, at: note.at, text: note.text, isMessage: false, content: <NoteCard note={note} me={me} /> });
  }
  for (const change of value.changes) {
    entries.push({ key: `change-${change.revision}`, at: change.at, text: "", isMessage: false, content: <ChangeLine change={change} me={me} /> });
  }
  for (const call of calls) {
    entries.push({ key: `call-${call.callId}`, at: call.startedAt, text: call.note ?? "", isMessage: false, content: <CallLine call={call} me={me} /> });
  }
  const known = entries.filter((entry) => entry.at >= since).sort((one, other) => one.at.localeCompare(other.at));
  return [...known, ...unsentEntries(known.at(-1)?.at ?? "", messages, byId, unsent, { id, me, onAnswer })];
}

// Last, by the clock of this machine as well as by the server's.
function unsentEntries(last: string, messages: Message[], byId: Map<string, Message>, unsent: readonly Unsent<Body>[], { id, me, onAnswer }: Pick<Acts, "id" | "me" | "onAnswer">): Entry[] {
  const sent = new Set(messages.map((message) => message.actionId));
  return unsent
    .filter((one) => one.action === null || !sent.has(one.action))
    .map((one) => ({
      key: `unsent-${one.key}`,
      at: one.at > last ? one.at : last,
      text: textOf(one.body),
      isMessage: false,
      content: <UnsentBubble conversation={id} unsent={one} messages={byId} me={me} onAnswer={onAnswer} />,
    }));
}

// What is on the screen has been read, while the page is visible.
function useMarkRead(key: string, value: Loaded | null) {
  const { client } = useApp();
  const position = value && value.head.unreadCount > 0 ? value.head.position : null;
  useEffect(() => {
    if (!position || document.visibilityState !== "visible") return;
    // A failure changes nothing that the person does: it is repeated when the conversation is next loaded.
    client.call("POST /whatsapp/conversations/{key}/read", { path: { key }, body: { upTo: position } }).catch(() => undefined);
  }, [client, key, position, value]);
}
