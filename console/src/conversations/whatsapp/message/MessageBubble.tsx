// A message, a note and a change in the timeline. Texts of customers are text nodes: never markup, links are not built.

import { actor, clock, moment } from "../../../texts/format";
import { previewText } from "../../../texts/preview";
import { named, t, type Key } from "../../../texts/texts";
import { IconButton } from "../../../ui/controls";
import type { Change, Message } from "../conversationData";
import { DeliverySign, stateOf } from "./Delivery";
import { History } from "./History";
import { Media } from "./content/Media";
import { ContactCards } from "./content/ContactCards";
import { cardsOf } from "./content/contactCards";
import { Order } from "./content/Order";
import { itemsOf } from "./content/order";
import { UnknownSend } from "./UnknownSend";

interface Props {
  message: Message;
  quoted: Message | null;
  me: string | null;
  onAnswer: () => void;
  onChange: () => void;
  onRenew: () => void;
}

export function MessageBubble({ message, quoted, me, onAnswer, onChange, onRenew }: Props) {
  const isOut = message.direction === "OUTBOUND";
  return (
    <div class={`message ${isOut ? "message-out" : "message-in"}`}>
      <div class={`bubble ${message.deliveryStatus === "failed" ? "bubble-failed" : ""}`}>
        {message.groupId && !isOut && message.senderName && <p class="bubble-sender">{message.senderName}</p>}
        {(message.forwarded || message.forwardedManyTimes) && <p class="bubble-note">{t("message.forwarded")}</p>}
        {message.replyTo && <Quote message={quoted} />}
        <Content message={message} onRenew={onRenew} />
        {message.versions && message.versions.length > 1 && <History message={message} versions={message.versions} onRenew={onRenew} />}
        <Foot message={message} isOut={isOut} me={me} />
        {isOut && message.sendState === "unknown" && !message.deliveryStatus && <UnknownSend message={message} me={me} onChange={onChange} />}
      </div>
      {message.reactions?.length ? (
        <span class="reactions">{message.reactions.map((reaction) => reaction.emoji).join(" ")}</span>
      ) : null}
      {!message.erased && !message.revokedAt && (
        <span class="message-actions">
          <IconButton icon="reply" label={t("message.answer")} onClick={onAnswer} />
        </span>
      )}
    </div>
  );
}

export function shortText(message: Message): string {
  return message.text ?? message.caption ?? (message.preview ? previewText(message.preview) : named("type", message.type));
}

function Quote({ message }: { message: Message | null }) {
  return (
    <blockquote class="quote">
      {message && <b>{message.direction === "OUTBOUND" ? t("actor.us") : (message.senderName ?? t("actor.customer"))}</b>}
      <span dir="auto">{message ? shortText(message) : t("message.quoted_older")}</span>
    </blockquote>
  );
}

function Content({ message, onRenew }: { message: Message; onRenew: () => void }) {
  if (message.erased) return <p class="bubble-note">{t("message.erased")}</p>;
  if (message.revokedAt && !message.text) return <p class="bubble-note">{t("message.revoked")}</p>;
  const text = message.text ?? message.caption;
  const items = itemsOf(message.content);
  const cards = cardsOf(message.content);
  return (
    <>
      {message.media && <Media message={message} media={message.media} onRenew={onRenew} />}
      {items.length > 0 && <Order items={items} />}
      {cards.length > 0 && <ContactCards cards={cards} />}
      {text ? <p class="bubble-text" dir="auto">{text}</p> : !message.media && items.length + cards.length === 0 && <Other message={message} />}
      {message.wholeContent && (
        <a class="link" href={message.wholeContent.link} target="_blank" rel="noreferrer">
          {t("message.whole")}
        </a>
      )}
    </>
  );
}

// Types without text or file: location, contacts, buttons ... The API's preview says what it is.
function Other({ message }: { message: Message }) {
  const preview = message.preview && previewText(message.preview);
  return (
    <p class="bubble-other" dir="auto">
      {preview === message.preview && <span class="bubble-type">{named("type", message.type)}</span>}
      {preview}
    </p>
  );
}

function Foot({ message, isOut, me }: { message: Message; isOut: boolean; me: string | null }) {
  const state = stateOf(message);
  return (
    <>
      <p class="bubble-foot">
        {isOut && message.sentBy && <span>{actor(message.sentBy, me)}</span>}
        {message.editedAt && <span>{t("message.edited")}</span>}
        <time dateTime={message.receivedAt} title={moment(message.receivedAt)}>
          {clock(message.receivedAt)}
        </time>
        {isOut && state && <DeliverySign state={state} history={message.statusHistory} />}
      </p>
      {message.deliveryStatus === "failed" && <Problem error={message.statusError} />}
    </>
  );
}

function Problem({ error }: { error: unknown }) {
  const { title, advice, code } = (error ?? {}) as { title?: string; advice?: string; code?: number };
  return (
    <p class="bubble-problem">
      {[title ?? t("delivery.failed"), code && `(${code})`].filter(Boolean).join(" ")}
      {advice && <span>{advice}</span>}
    </p>
  );
}

export function ChangeLine({ change, me }: { change: Change; me: string | null }) {
  const changed = (change.changed ?? {}) as Record<string, unknown>;
  const parts = Object.entries(changed)
    .filter(([name]) => name !== "snoozedUntil" && name !== "snoozed_until")
    .map(([name, value]) => describe(name, value, me));
  return (
    <p class="change">
      <span>{actor(change.by, me)}</span> {parts.join(", ")} · <time dateTime={change.at}>{clock(change.at)}</time>
    </p>
  );
}

function describe(name: string, value: unknown, me: string | null): string {
  switch (name) {
    case "status":
      return t(`change.status.${String(value)}` as Key);
    case "assignee":
      return value ? t("change.assigned", { who: actor(String(value), me) }) : t("change.unassigned");
    case "archived":
      return t(value ? "change.archived" : "change.unarchived");
    case "labels":
      return t("change.labels");
    default:
      return `${name}: ${String(value)}`;
  }
}
