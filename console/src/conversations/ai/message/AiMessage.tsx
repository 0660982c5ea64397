// A message of an AI conversation: its content, its delivery, and how the model came to it.

import { useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { actor, clock, moment } from "../../../texts/format";
import { named, t, type Key } from "../../../texts/texts";
import { useDraft } from "../../../ui/draft";
import { Icon } from "../../../ui/icons";
import { Button, Choices, ErrorNotice } from "../../../ui/controls";
import { isByModel, isReleasable, personOf, type Head, type Message } from "../conversationState";
import { Arguments } from "../FunctionApproval";
import { HowItWasMade } from "./HowItWasMade";
import type { MessageTools } from "./MessageTools";

interface Props {
  head: Head;
  message: Message;
  me: string | null;
  onChange: () => void;
}

// Tools: once they are loaded.
export function AiMessage({ head, message, me, onChange, Tools }: Props & { Tools: typeof MessageTools | undefined }) {
  const isCustomer = message.role === "user" || message.author === "customer";
  const who = message.author === "ai" ? t("actor.model") : message.principal ? actor(message.principal, me) : named("author", message.author);
  return (
    <div class={`message ${isCustomer ? "message-in" : "message-out"}`}>
      <div class={`bubble ${isByModel(message) ? "bubble-ai" : ""}`}>
        {message.subject && <p class="bubble-sender">{message.subject}</p>}
        {message.content && !message.function && <p class="bubble-text" dir="auto">{message.content}</p>}
        {message.whole_text && (
          <a class="link" href={message.whole_text.link} target="_blank" rel="noreferrer">
            {t("message.whole")}
          </a>
        )}
        <Files message={message} />
        {message.function && (
          <>
            <p class="bubble-note">{t("ai.function", { name: message.function.name })}</p>
            <Arguments values={message.function.arguments} />
            <p class="bubble-note">
              {t(`verdict.${message.function.verdict ?? "none"}` as Key)}
              {message.function.decided_by && ` · ${actor(personOf(message.function.decided_by), me)}`}
            </p>
          </>
        )}
        <p class="bubble-foot">
          {!isCustomer && <span>{who}</span>}
          <time dateTime={message.message_timestamp} title={moment(message.message_timestamp)}>
            {clock(message.message_timestamp)}
          </time>
          {!isCustomer && message.delivery_status && <span>{named("delivery", message.delivery_status)}</span>}
        </p>
        {message.hand_off_reason && <p class="bubble-problem">{named("reason", message.hand_off_reason)}</p>}
        {message.error_code && !isCustomer && <p class="bubble-problem">{t("ai.decision", { reason: named("reason", message.error_code) })}</p>}
        {message.resolved_by && <p class="bubble-note">{t("ai.resolved_by", { who: actor(personOf(message.resolved_by), me) })}</p>}
        {message.model && <HowItWasMade message={message} />}
        {Tools && me && <Tools head={head} message={message} me={me} onChange={onChange} />}
        {message.delivery_status === "unknown" && <Unknown head={head} message={message} onChange={onChange} />}
        {isReleasable(message, head) && <Release head={head} message={message} onChange={onChange} />}
      </div>
    </div>
  );
}

function Files({ message }: { message: Message }) {
  return (
    <>
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
      {message.media.map((file, index) => file.transcript && <p key={`words-${index}`} class="bubble-note">{t("media.transcript", { words: file.transcript })}</p>)}
    </>
  );
}

const OUTCOMES = ["sent", "not_sent", "resend"] as const;

function Unknown({ head, message, onChange }: Omit<Props, "me">) {
  const { client } = useApp();
  const [outcome, setOutcome] = useState<(typeof OUTCOMES)[number] | null>(null);
  const resolve = useAction(async () => {
    if (!outcome) return;
    await client.call("POST /conversations/{ref}/resolve", { path: { ref: head.ref }, body: { entry_id: message.entry_id, outcome } });
    onChange();
  });
  return (
    <form
      class="resolve"
      onSubmit={(event) => {
        event.preventDefault();
        void resolve.run();
      }}
    >
      <p>{t("delivery.unknown_text")}</p>
      <p class="quiet">{[message.provider, message.delivery_status_at && moment(message.delivery_status_at), message.provider_message_id].filter(Boolean).join(" · ") || t("unknown.no_evidence")}</p>
      <Choices
        legend={t("unknown.question")}
        name={`outcome-${message.entry_id}`}
        values={OUTCOMES}
        textOf={(one) => t(`unknown.outcome.${one}`)}
        chosen={outcome}
        onChoose={setOutcome}
      />
      {outcome === "resend" && <p>{t("unknown.twice")}</p>}
      {resolve.error && <ErrorNotice error={resolve.error} />}
      <Button kind="primary" type="submit" busy={resolve.busy} disabled={!outcome}>
        {t("unknown.confirm")}
      </Button>
    </form>
  );
}

// A draft of the model that was held back: sent as it is, or changed, in the agent's name.
function Release({ head, message, onChange }: Omit<Props, "me">) {
  const { client } = useApp();
  const draft = useDraft(`release:${message.entry_id}`);
  const [isChanging, setChanging] = useState(draft.text !== "");
  const [isSent, setSent] = useState(false);
  const { text } = draft;
  const send = useAction(async () => {
    const body = { draft_entry_id: message.entry_id, ...(isChanging && text !== message.content ? { text } : {}) };
    await client.call("POST /conversations/{ref}/release", { path: { ref: head.ref }, body, key: draft.keyFor(body) });
    draft.sent(text);
    setSent(true);
    onChange();
  });
  // The log keeps the draft as it was: it could be sent again.
  if (isSent) return <p class="bubble-note">{t("release.sent")}</p>;
  return (
    <div class="resolve">
      {isChanging && (
        <textarea dir="auto" rows={4} value={text} aria-label={t("release.text")} aria-invalid={Boolean(send.error?.problemOf("text"))} onInput={(event) => draft.write(event.currentTarget.value)} />
      )}
      {send.error?.problemOf("text") && (
        <p class="field-problem" role="alert">
          {send.error.problemOf("text")}
        </p>
      )}
      {send.error && <ErrorNotice error={send.error} fields={["text"]} />}
      <div class="mail-actions">
        <Button kind="primary" icon="send" busy={send.busy} disabled={isChanging && !text.trim()} onClick={() => void send.run()}>
          {t("release.send")}
        </Button>
        {!isChanging && !message.template && (
          <Button
            kind="quiet"
            onClick={() => {
              draft.write(message.content);
              setChanging(true);
            }}
          >
            {t("release.change")}
          </Button>
        )}
      </div>
    </div>
  );
}
