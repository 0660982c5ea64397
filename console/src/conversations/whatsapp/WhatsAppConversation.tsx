import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useOlder } from "../../api/older";
import { useApp, useSession } from "../../app";
import { phone } from "../../texts/format";
import { Colleagues, useLiveConversation } from "../../live/hooks";
import { NoteCard } from "../contact/Notes";
import { t } from "../../texts/texts";
import { Empty, ErrorNotice, Skeleton } from "../../ui/controls";
import { Frame, Timeline, type Entry } from "../../ui/frame";
import { CallLine } from "./message/CallLine";
import { Composer } from "./composer/Composer";
import { load, loadOlder, titleOf, type Loaded, type Message, type Team } from "./conversationData";
import { Facts } from "./Facts";
import { ChangeLine, MessageBubble } from "./message/MessageBubble";
import { StateActions } from "./StateActions";

const POLL_MS = 5_000;

export function WhatsAppConversation({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const team = useRef<Team | null>(null);
  const loaded = useLiveConversation(
    "whatsapp",
    id,
    async (signal) => {
      const value = await load(client, id, signal, team.current);
      team.current = value.team;
      return value;
    },
    [client, id],
    POLL_MS,
  );
  const [answered, setAnswered] = useState<Message | null>(null);
  const value = loaded.value;
  const newest = useMemo(() => value && { items: value.messages, cursor: value.older }, [value]);
  const older = useOlder(newest, (message) => message.id, async (cursor) => {
    const page = await loadOlder(client, id, cursor);
    return { items: page.result.messages, cursor: page.cursor };
  });
  useMarkRead(id, value);

  if (value === null) {
    return (
      <main class="pane">
        {loaded.error ? <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} /> : <Skeleton rows={6} kind="bubble" />}
      </main>
    );
  }
  const { head } = value;
  const reload = () => {
    team.current = null;
    return loaded.reload();
  };
  return (
    <Frame
      title={titleOf(head) ? phone(titleOf(head)) : t("inbox.unknown")}
      icon="chat"
      line={[t("channel.whatsapp"), head.senderPhone ?? head.customer].filter(Boolean).map((part) => phone(part!)).join(" · ")}
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
          onSent={reload}
        />
      }
    >
      {(loaded.error ?? value.incomplete) && <ErrorNotice error={(loaded.error ?? value.incomplete)!} onRetry={reload} />}
      {older.next.error && <ErrorNotice error={older.next.error} onRetry={() => void older.next.run()} />}
      <Timeline
        entries={entriesOf(value, older.items, me, setAnswered, reload)}
        onOlder={older.cursor ? () => void older.next.run() : null}
        empty={<Empty icon="chat" title={t("timeline.empty")} />}
      />
    </Frame>
  );
}

function entriesOf(value: Loaded, messages: Message[], me: string | null, onAnswer: (message: Message) => void, onChange: () => void): Entry[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const since = messages.at(-1)?.receivedAt ?? "";
  const entries: Entry[] = messages.map((message) => ({
    key: message.id,
    at: message.receivedAt,
    content: (
      <MessageBubble
        message={message}
        quoted={message.replyTo ? (byId.get(message.replyTo) ?? null) : null}
        me={me}
        onAnswer={() => onAnswer(message)}
        onChange={onChange}
      />
    ),
  }));
  for (const note of value.notes) {
    entries.push({ key: `note-${note.id}`, at: note.at, content: <NoteCard note={note} me={me} /> });
  }
  for (const change of value.changes) {
    entries.push({ key: `change-${change.revision}`, at: change.at, content: <ChangeLine change={change} me={me} /> });
  }
  for (const call of value.calls) {
    entries.push({ key: `call-${call.callId}`, at: call.startedAt, content: <CallLine call={call} me={me} /> });
  }
  return entries.filter((entry) => entry.at >= since).sort((one, other) => one.at.localeCompare(other.at));
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
