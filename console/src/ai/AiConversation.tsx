// A conversation that a model leads: read it, take it over, write, hand it back, release what waits.

import { useState } from "preact/hooks";
import { useApp, useSession } from "../app";
import { clockWithSeconds, phone } from "../format";
import { CHANNEL_ICONS } from "../inbox/InboxRow";
import { Colleagues, useLiveConversation } from "../live/hooks";
import { named, t, type Key } from "../texts/texts";
import { Frame, Timeline } from "../ui/frame";
import { Icon } from "../ui/icons";
import { Empty, ErrorNotice, Skeleton } from "../ui/parts";
import { AiActions } from "./AiActions";
import { AiFacts } from "./AiFacts";
import { AiFoot } from "./AiFoot";
import { AiMessage } from "./AiMessage";
import { inFlightOf, stopOf, type Head, type Message } from "./data";
import { FunctionApproval } from "./FunctionApproval";

const POLL_MS = 5_000;

export function AiConversation({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const loaded = useLiveConversation(
    "conversations",
    id,
    async (signal) => {
      const path = { ref: id };
      const [head, log] = await Promise.all([
        client.call("GET /conversations/{ref}", { path, signal }),
        client.call("GET /conversations/{ref}/messages", { path, signal, query: { limit: 100 } }),
      ]);
      return { head: head.result, messages: log.result.messages, before: log.result.before ?? null };
    },
    [client, id],
    POLL_MS,
  );
  const [older, setOlder] = useState<{ messages: Message[]; before: string | null }>({ messages: [], before: null });
  if (loaded.value === null) {
    return (
      <main class="pane">
        {loaded.error ? <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} /> : <Skeleton rows={6} kind="bubble" />}
      </main>
    );
  }
  const { head } = loaded.value;
  const reload = () => void loaded.reload();
  const before = older.messages.length ? older.before : loaded.value.before;
  const next = async () => {
    const page = await client.call("GET /conversations/{ref}/messages", { path: { ref: id }, query: { before, limit: 100 } });
    setOlder({ messages: [...older.messages, ...page.result.messages], before: page.result.before ?? null });
  };
  const known = new Set(loaded.value.messages.map((message) => message.entry_id));
  const messages = [...loaded.value.messages, ...older.messages.filter((message) => !known.has(message.entry_id))];
  const title = [head.recipient.first_name, head.recipient.last_name].filter(Boolean).join(" ") || head.recipient.tel || head.recipient.email || id;
  return (
    <Frame
      title={phone(title)}
      icon="robot"
      line={[t(`channel.${head.channel_method}` as Key), head.project_name ?? head.project_id].join(" · ")}
      colleagues={<Colleagues context="conversations" id={id} />}
      back={back}
      actions={<AiActions head={head} me={me} onChange={reload} />}
      facts={<AiFacts head={head} me={me} />}
      foot={<AiFoot head={head} me={me} onChange={reload} />}
    >
      {loaded.error && <ErrorNotice error={loaded.error} onRetry={reload} />}
      {head.hand_off_to_human && (
        <div class="notice notice-warn">
          <Icon name="alert" />
          <p>
            <b>{t("ai.needs_person")}</b> {head.hand_off_to_human_reason && named("reason", head.hand_off_to_human_reason)}
          </p>
        </div>
      )}
      <Stopped head={head} messages={messages} isWhole={before === null} />
      {head.waits_for_approval && <FunctionApproval key={head.waits_for_approval.entry_id} head={head} waiting={head.waits_for_approval} onChange={reload} />}
      <Timeline
        entries={[...messages].reverse().map((message) => ({
          key: message.entry_id,
          at: message.message_timestamp,
          content: <AiMessage head={head} message={message} me={me} onChange={reload} />,
        }))}
        onOlder={before ? () => void next() : null}
        empty={<Empty icon={CHANNEL_ICONS[head.channel_method as "sms"] ?? "chat"} title={t("timeline.empty")} />}
      />
    </Frame>
  );
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
