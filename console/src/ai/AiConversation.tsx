// A conversation that a model leads: read it, take it over, write, hand it back, release what waits.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationsAdmin } from "../api/routes";
import { useAction, useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { draftOf, keepDraft } from "../drafts";
import { actor, clock, moment, phone } from "../format";
import { CHANNEL_ICONS } from "../inbox/InboxRow";
import { named, t, type Key } from "../texts/texts";
import { Fact, Frame, Timeline } from "../ui/frame";
import { Icon } from "../ui/icons";
import { Badge, Button, Empty, ErrorNotice, Skeleton } from "../ui/parts";

type Head = ConversationsAdmin.ConversationView;
type Message = ConversationsAdmin.MessageView;

const POLL_MS = 5_000;
const ENDED = ["closed", "opted_out", "failed"];

export function AiConversation({ id, back }: { id: string; back: string }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const loaded = useResource(
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
  const isMine = head.mode === "human" && head.owner === me;
  return (
    <Frame
      title={phone(title)}
      icon="robot"
      line={[t(`channel.${head.channel_method}` as Key), head.project_name ?? head.project_id].join(" · ")}
      back={back}
      actions={<Actions head={head} me={me} onChange={reload} />}
      facts={<Facts head={head} me={me} />}
      foot={<Foot head={head} isMine={isMine} onChange={reload} />}
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
      <Timeline
        entries={[...messages].reverse().map((message) => ({
          key: message.entry_id,
          at: message.message_timestamp,
          content: <Bubble message={message} me={me} />,
        }))}
        onOlder={before ? () => void next() : null}
        empty={<Empty icon={CHANNEL_ICONS[head.channel_method as "sms"] ?? "chat"} title={t("timeline.empty")} />}
      />
    </Frame>
  );
}

function Bubble({ message, me }: { message: Message; me: string | null }) {
  const isCustomer = message.role === "user" || message.author === "customer";
  const who = message.author === "ai" ? t("actor.model") : message.principal ? actor(message.principal, me) : message.author;
  return (
    <div class={`message ${isCustomer ? "message-in" : "message-out"}`}>
      <div class={`bubble ${message.author === "ai" ? "bubble-ai" : ""}`}>
        {message.subject && <p class="bubble-sender">{message.subject}</p>}
        {message.content && <p class="bubble-text">{message.content}</p>}
        {message.whole_text && (
          <a class="link" href={message.whole_text.link} target="_blank" rel="noreferrer">
            {t("message.whole")}
          </a>
        )}
        {message.media.map((file, index) =>
          file.download ? (
            <a key={index} class="file" href={file.download.link} target="_blank" rel="noreferrer">
              <Icon name="file" />
              <span>{file.name ?? file.mime_type}</span>
            </a>
          ) : (
            <p key={index} class="file file-missing">
              <Icon name="file" />
              <span>{file.name ?? named("media", message.media_state ?? "UNAVAILABLE")}</span>
            </p>
          ),
        )}
        {message.function && <p class="bubble-note">{t("ai.function", { name: message.function.name })}</p>}
        <p class="bubble-foot">
          {!isCustomer && <span>{who}</span>}
          <time dateTime={message.message_timestamp} title={moment(message.message_timestamp)}>
            {clock(message.message_timestamp)}
          </time>
          {!isCustomer && message.delivery_status && <span>{named("delivery", message.delivery_status)}</span>}
        </p>
        {message.hand_off_reason && <p class="bubble-problem">{named("reason", message.hand_off_reason)}</p>}
      </div>
    </div>
  );
}

function Actions({ head, me, onChange }: { head: Head; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const path = { ref: head.ref };
  const take = useAction(async () => {
    await client.call("POST /conversations/{ref}/take-over", { path, body: { force: head.owner != null && head.owner !== me } });
    onChange();
  });
  const giveBack = useAction(async () => {
    await client.call("POST /conversations/{ref}/hand-back", { path, body: { answer_pending: true } });
    onChange();
  });
  if (ENDED.includes(head.conversation_status)) return null;
  return (
    <>
      {(take.error ?? giveBack.error) && <ErrorNotice error={(take.error ?? giveBack.error)!} />}
      {head.mode === "human" && head.owner === me ? (
        <Button icon="robot" busy={giveBack.busy} onClick={() => void giveBack.run()}>
          {t("ai.hand_back")}
        </Button>
      ) : (
        <Button icon="person" kind="primary" busy={take.busy} onClick={() => void take.run()}>
          {t("ai.take_over")}
        </Button>
      )}
    </>
  );
}

function Foot({ head, isMine, onChange }: { head: Head; isMine: boolean; onChange: () => void }) {
  const { client } = useApp();
  const [text, setText] = useState(() => draftOf(head.ref));
  const attempt = useRef({ text: "", key: "" });
  useEffect(() => keepDraft(head.ref, text), [head.ref, text]);
  const send = useAction(async () => {
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    await client.call("POST /conversations/{ref}/messages", { path: { ref: head.ref }, body: { text }, key: attempt.current.key });
    setText("");
    onChange();
  });
  if (ENDED.includes(head.conversation_status)) return <p class="foot-note">{named("status", head.conversation_status)}</p>;
  if (!isMine) return <p class="foot-note">{t(head.mode === "human" ? "ai.with_colleague" : "ai.with_model")}</p>;
  return (
    <footer class="composer">
      <div class="writer">
        {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} fields={["text"]} />}
        <textarea rows={3} value={text} aria-label={t("composer.label")} placeholder={t("composer.placeholder")} onInput={(event) => setText(event.currentTarget.value)} />
        <div class="writer-bar">
          <span class="writer-space" />
          <Button kind="primary" icon="send" busy={send.busy} disabled={!text.trim()} onClick={() => void send.run()}>
            {t("composer.send")}
          </Button>
        </div>
      </div>
    </footer>
  );
}

function Facts({ head, me }: { head: Head; me: string | null }) {
  const answers = Object.entries(head.recorded_answers);
  return (
    <>
      <dl>
        <Fact label={t("facts.status")}>
          <Badge kind={head.hand_off_to_human ? "warn" : "accent"}>{named("status", head.conversation_status)}</Badge>
        </Fact>
        <Fact label={t("facts.leads")}>{head.mode === "human" ? actor(head.owner ?? "", me) : t("actor.model")}</Fact>
        {head.recipient.tel && <Fact label={t("facts.phone")}>{phone(head.recipient.tel)}</Fact>}
        {head.recipient.email && <Fact label={t("facts.email")}>{head.recipient.email}</Fact>}
        {head.window_until && <Fact label={t("facts.window")}>{moment(head.window_until)}</Fact>}
        <Fact label={t("facts.created")}>{moment(head.created_at)}</Fact>
      </dl>
      {answers.length > 0 && (
        <section class="facts-part">
          <h3>{t("facts.answers")}</h3>
          <dl>
            {answers.map(([question, answer]) => (
              <Fact key={question} label={question}>
                {answer}
              </Fact>
            ))}
          </dl>
        </section>
      )}
    </>
  );
}
