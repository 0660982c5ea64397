// Writes a message. After the window of 24 hours only templates may be sent. What is sent goes to the outbox.

import { useEffect, useRef, useState } from "preact/hooks";
import type { ChannelConsent } from "../../contact/consent";
import { OptedOut } from "../../contact/OptedOut";
import { useApp } from "../../../app";
import { duration, moment } from "../../../texts/format";
import { useSay } from "../../../live/hooks";
import { t } from "../../../texts/texts";
import { useDraft } from "../../../ui/draft";
import { forgetWrittenAt, writtenAt } from "../../drafts";
import { Icon } from "../../../ui/icons";
import { Button, IconButton } from "../../../ui/controls";
import { AttachButton, Attachment, mediaOf, useAttachment } from "./Attachment";
import { takesCaption } from "./attachments";
import { CannedReplies, openedCanned } from "./CannedReplies";
import type { Head, Message } from "../conversationData";
import { shortText } from "../message/MessageBubble";
import { TemplatePicker } from "./TemplatePicker";

const LONGEST_TEXT = 4096;
const LONGEST_CAPTION = 1024;
const SOON_MS = 2 * 3_600_000;

interface Props {
  conversation: string;
  head: Head;
  windowEndsAt: number | null;
  consent: ChannelConsent | null;
  me: string | null;
  answered: Message | null;
  onAnswered: (message: Message | null) => void;
  onPut: () => void; // a message is in the outbox
  onSent: () => void;
}

export function Composer({ conversation, head, windowEndsAt, consent, me, answered, onAnswered, onPut, onSent }: Props) {
  const now = useNow();
  const [picking, setPicking] = useState(false);
  const left = windowEndsAt === null ? 0 : windowEndsAt - now;
  const isOpen = left > 0 || head.groupName != null;
  // The server refuses a send as well. What was written stays in the draft.
  if (consent?.state === "opted_out") {
    return (
      <footer class="composer">
        <OptedOut consent={consent} me={me} />
      </footer>
    );
  }
  return (
    <footer class="composer">
      {picking && (
        <TemplatePicker
          conversation={conversation}
          head={head}
          onClose={() => setPicking(false)}
          onSent={() => {
            setPicking(false);
            onSent();
          }}
        />
      )}
      {/* Hidden rather than absent: an attached file stays. */}
      <div hidden={picking}>
        {isOpen ? (
          <Writer conversation={conversation} head={head} answered={answered} onAnswered={onAnswered} onPut={onPut} onTemplate={() => setPicking(true)} />
        ) : (
          <div class="window-closed">
            <Icon name="clock" />
            <p>{t(windowEndsAt === null ? "window.never" : "window.closed")}</p>
            <Button icon="template" kind="primary" onClick={() => setPicking(true)}>
              {t("template.choose")}
            </Button>
          </div>
        )}
        {head.marketingOptOutAt && (
          <p class="window">
            <Icon name="info" size={13} /> {t("optout.marketing", { at: moment(head.marketingOptOutAt) })}
          </p>
        )}
        {isOpen && left > 0 && (
          <p class={`window ${left < SOON_MS ? "window-soon" : ""}`}>
            <Icon name="clock" size={13} /> {t("window.left", { time: duration(left) })}
          </p>
        )}
      </div>
    </footer>
  );
}

interface WriterProps extends Omit<Props, "windowEndsAt" | "consent" | "me" | "onSent"> {
  onTemplate: () => void;
}

function Writer({ conversation, head, answered, onAnswered, onPut, onTemplate }: WriterProps) {
  const { outbox } = useApp();
  const say = useSay("whatsapp", conversation);
  const draft = useDraft(conversation);
  const { text } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const attachment = useAttachment(conversation);
  const { file } = attachment;
  const isBegun = file !== null || text.trim().length > 0;
  // Kept from the first letter on: what comes after it, the writer may not have read.
  useEffect(() => void (isBegun ? writtenAt(conversation, head.position ?? null) : forgetWrittenAt(conversation)), [conversation, isBegun]);
  const write = (next: string) => {
    draft.write(next);
    if (next.trim()) say("typing");
  };
  useEffect(() => fit(field.current), [text]);
  useEffect(() => {
    if (answered) field.current?.focus();
  }, [answered]);
  const longest = file ? LONGEST_CAPTION : LONGEST_TEXT;
  const hasLostText = file !== null && !takesCaption(file.kind.type) && text.trim().length > 0;
  const canSend = (file ? file.upload !== null : isBegun) && text.length <= longest && !hasLostText;
  const send = () => {
    if (!canSend) return;
    const position = writtenAt(conversation, head.position ?? null);
    const body = {
      ...(file?.upload ? { media: mediaOf(file, file.upload, text) } : { text }),
      ...(answered ? { replyTo: answered.id } : {}),
      ...(position ? { position } : {}),
    };
    outbox.put(conversation, { key: crypto.randomUUID(), body, file: file && { ...file, content: null } });
    draft.sent(text);
    attachment.remove();
    onAnswered(null);
    onPut();
    field.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    if (openedCanned(event, text)) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <div class={`writer ${attachment.dragging ? "writer-drop" : ""}`} {...attachment.dropTarget}>
      <Attachment attachment={attachment} />
      {hasLostText && (
        <p class="field-problem" role="alert">
          {t("attach.no_caption")}
        </p>
      )}
      {answered && (
        <div class="answered">
          <blockquote class="quote">
            <span>{shortText(answered)}</span>
          </blockquote>
          <IconButton icon="close" label={t("message.answer_not")} onClick={() => onAnswered(null)} />
        </div>
      )}
      <textarea dir="auto"
        ref={field}
        rows={1}
        value={text}
        aria-label={t("composer.label")}
        placeholder={t("composer.placeholder")}
        aria-invalid={text.length > longest}
        onPaste={(event) => {
          const pasted = event.clipboardData?.files[0];
          if (pasted) attachment.choose(pasted);
        }}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={keys}
      />
      <div class="writer-bar">
        <AttachButton onChoose={attachment.choose} />
        <CannedReplies customer={head.senderName ?? null} onChoose={(chosen) => write(text ? `${text}\n${chosen}` : chosen)} />
        <IconButton icon="template" label={t("template.choose")} onClick={onTemplate} />
        <span class="writer-space">{text.length > longest - 200 && <span class={text.length > longest ? "field-problem" : "quiet"}>{longest - text.length}</span>}</span>
        <span class="quiet writer-hint">{t("composer.hint")}</span>
        <Button kind="primary" icon="send" disabled={!canSend} onClick={send}>
          {t("composer.send")}
        </Button>
      </div>
    </div>
  );
}

function fit(field: HTMLTextAreaElement | null) {
  if (!field) return;
  field.style.height = "auto";
  field.style.height = `${Math.min(field.scrollHeight, 200)}px`;
}

function useNow(): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 20_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
