// A conversation that a model leads: read it, take it over, write, hand it back, release what waits.

import { useMemo, useRef } from "preact/hooks";
import { useOlder } from "../../api/older";
import { useApp, useSession } from "../../app";
import { clockWithSeconds } from "../../texts/format";
import { CHANNEL_ICONS } from "../../inbox/InboxRow";
import type { ChannelConsent } from "../contact/consent";
import { NoteCard } from "../contact/Notes";
import { Colleagues, useLiveConversation } from "../../live/hooks";
import { loadTexts, named, t, type Key } from "../../texts/texts";
import { Frame } from "../../ui/frame";
import { Timeline, type Entry } from "../../ui/timeline/Timeline";
import { olderOf } from "../timelineSource";
import { Icon } from "../../ui/icons";
import { Empty, ErrorNotice, Skeleton } from "../../ui/controls";
import { useLater } from "../../ui/Later";
import { AiActions } from "./AiActions";
import { AiFacts } from "./AiFacts";
import { AiFoot } from "./AiFoot";
import { AiMessage } from "./message/AiMessage";
import { inFlightOf, stopOf, type Head, type Message, type Note } from "./conversationState";
import { FunctionApproval } from "./FunctionApproval";
import type { MessageTools } from "./message/MessageTools";

const POLL_MS = 5_000;

export function AiConversation({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const consent = useRef<ChannelConsent | null | undefined>(undefined); // read once
  const loaded = useLiveConversation(
    "conversations",
    id,
    async (signal) => {
      const { result } = await client.call("GET /conversations/{ref}", { path: { ref: id }, signal, query: { messages: 100, notes: 50, consent: consent.current === undefined ? "true" : null } });
      if (consent.current === undefined) consent.current = result.consent ?? null;
      return { head: { ...result, consent: consent.current }, messages: result.messages?.messages ?? [], before: result.messages?.before ?? null, notes: result.notes?.notes ?? [] };
    },
    [client, id],
    POLL_MS,
  );
  const newest = useMemo(() => loaded.value && { items: loaded.value.messages, cursor: loaded.value.before }, [loaded.value]);
  const older = useOlder<Message, string>(newest, (message) => message.entry_id, async (cursor) => {
    const page = await client.call("GET /conversations/{ref}/messages", { path: { ref: id }, query: { before: cursor, limit: 100 } });
    return { items: page.result.messages, cursor: page.result.before ?? null };
  });
  const tools = useLater(async () => (await Promise.all([import("./message/MessageTools"), loadTexts("ratings")]))[0]);
  if (loaded.value === null) {
    return (
      <main class="pane">
        {loaded.error ? <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} /> : <Skeleton rows={6} kind="bubble" />}
      </main>
    );
  }
  const { head, notes } = loaded.value;
  const reload = () => loaded.reload();
  const { items: messages, hasMore } = older;
  const title = [head.recipient.first_name, head.recipient.last_name].filter(Boolean).join(" ") || head.recipient.tel_text || head.recipient.email || id;
  return (
    <Frame
      title={title}
      icon="robot"
      line={[t(`channel.${head.channel_method}` as Key), head.project_name ?? head.project_id].join(" · ")}
      colleagues={<Colleagues context="conversations" id={id} />}
      back={back}
      actions={<AiActions head={head} me={me} onChange={reload} />}
      facts={<AiFacts head={head} me={me} notes={notes} onChange={reload} />}
      foot={<AiFoot head={head} me={me} onChange={reload} />}
    >
      {loaded.error && <ErrorNotice error={loaded.error} onRetry={reload} />}
      {tools.error && <ErrorNotice error={tools.error} onRetry={tools.again} />}
      {head.hand_off_to_human && (
        <div class="notice notice-warn">
          <Icon name="alert" />
          <p>
            <b>{t("ai.needs_person")}</b> {head.hand_off_to_human_reason && named("reason", head.hand_off_to_human_reason)}
          </p>
        </div>
      )}
      <Stopped head={head} messages={messages} isWhole={!hasMore} />
      {head.waits_for_approval && <FunctionApproval key={head.waits_for_approval.entry_id} head={head} waiting={head.waits_for_approval} onChange={reload} />}
      {older.next.error && <ErrorNotice error={older.next.error} onRetry={() => void older.next.run()} />}
      <Timeline
        entries={entriesOf(head, messages, !hasMore ? notes : notes.filter(isAfter(messages.at(-1))), me, reload, tools.value?.MessageTools)}
        older={olderOf(older, (message) => ({ at: message.message_timestamp, text: message.content }))}
        empty={<Empty icon={CHANNEL_ICONS[head.channel_method as "sms"] ?? "chat"} title={t("timeline.empty")} />}
      />
    </Frame>
  );
}

// Notes among the messages that are loaded, oldest first.
function entriesOf(head: Head, messages: Message[], notes: Note[], me: string | null, onChange: () => void, Tools: typeof MessageTools | undefined): Entry[] {
  const entries = messages.map((message) => ({
    key: message.entry_id,
    at: message.message_timestamp,
    text: message.content,
    isMessage: true,
    content: <AiMessage head={head} message={message} me={me} onChange={onChange} Tools={Tools} />,
  }));
  const added = notes.map((note) => ({ key: `note-${note.id}`, at: note.at, text: note.text, isMessage: false, content: <NoteCard note={note} me={me} /> }));
  return [...entries, ...added].sort((one, other) => one.at.localeCompare(other.at));
}

function isAfter(message: Message | undefined): (note: Note) => boolean {
  return (note) => note.at >= (message?.message_timestamp ?? "");
}

function Stopped({ head, messages, isWhole }: { head: Head; messages: Message[]; isWhole: boolean }) {
  const stop = stopOf(head, messages, isWhole);
  if (!stop) return null;
  const number = stop.last && `#${stop.number ?? stop.last.entry_id.slice(0, 8)}`;
  return (
    <div class="notice" role="status">
      <Icon name="robot" />
      <div>
        <p>
          {t("ai.stopped", { at: clockWithSeconds(stop.at) })}{" "}
          {stop.last ? t("ai.last_message", { number: number!, at: clockWithSeconds(stop.last.message_timestamp) }) : t("ai.no_message")}
        </p>
        {inFlightOf(head) && <p class="detail">{t("ai.in_flight")}</p>}
      </div>
    </div>
  );
}
