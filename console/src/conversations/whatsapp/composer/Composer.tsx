// Writes a message. After the window of 24 hours only templates may be sent. A send is repeated under the same key.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import type { ChannelConsent } from "../../contact/consent";
import { OptedOut } from "../../contact/OptedOut";
import { useApp } from "../../../app";
import { duration, moment } from "../../../texts/format";
import { useSay } from "../../../live/hooks";
import { t } from "../../../texts/texts";
import { useDraft } from "../../../ui/draft";
import { Icon } from "../../../ui/icons";
import { Button, ErrorNotice, IconButton } from "../../../ui/controls";
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
  onSent: () => void;
}

export function Composer({ conversation, head, windowEndsAt, consent, me, answered, onAnswered, onSent }: Props) {
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
          <Writer conversation={conversation} head={head} answered={answered} onAnswered={onAnswered} onSent={onSent} onTemplate={() => setPicking(true)} />
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

interface WriterProps extends Omit<Props, "windowEndsAt" | "consent" | "me"> {
  onTemplate: () => void;
}

function Writer({ conversation, head, answered, onAnswered, onSent, onTemplate }: WriterProps) {
  const { client } = useApp();
  const say = useSay("whatsapp", conversation);
  const draft = useDraft(conversation);
  const { text } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  const attachment = useAttachment();
  const write = (next: string) => {
    draft.write(next);
    if (next.trim()) say("typing");
  };
  useEffect(() => fit(field.current), [text]);
  useEffect(() => {
    if (answered) field.current?.focus();
  }, [answered]);
  const send = useAction(async () => {
    const { file, upload } = attachment;
    const content = file && upload ? { media: mediaOf(file, upload, text) } : { text };
    const body = answered ? { ...content, replyTo: answered.id } : content;
    await client.call("POST /whatsapp/conversations/{key}/messages", { path: { key: conversation }, body, key: draft.keyFor(body) });
    draft.sent(text);
    attachment.remove();
    onAnswered(null);
    onSent();
  });
  const longest = attachment.file ? LONGEST_CAPTION : LONGEST_TEXT;
  const needsNoText = attachment.file !== null && attachment.upload !== null;
  const hasLostText = attachment.file !== null && !takesCaption(attachment.file.kind.type) && text.trim().length > 0;
  const canSend = (attachment.file ? needsNoText : text.trim().length > 0) && text.length <= longest && !hasLostText;
  const keys = (event: KeyboardEvent) => {
    if (openedCanned(event, text)) return;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (canSend) void send.run();
  };
  return (
    <div class={`writer ${attachment.dragging ? "writer-drop" : ""}`} {...attachment.dropTarget}>
      {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} fields={["text"]} />}
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
      <textarea
        ref={field}
        rows={1}
        value={text}
        aria-label={t("composer.label")}
        placeholder={t("composer.placeholder")}
        aria-invalid={Boolean(send.error?.problemOf("text")) || text.length > longest}
        onPaste={(event) => {
          const pasted = event.clipboardData?.files[0];
          if (pasted) attachment.choose(pasted);
        }}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={keys}
      />
      {send.error?.problemOf("text") && (
        <p class="field-problem" role="alert">
          {send.error.problemOf("text")}
        </p>
      )}
      <div class="writer-bar">
        <AttachButton onChoose={attachment.choose} />
        <CannedReplies customer={head.senderName ?? null} onChoose={(chosen) => write(text ? `${text}\n${chosen}` : chosen)} />
        <IconButton icon="template" label={t("template.choose")} onClick={onTemplate} />
        <span class="writer-space">{text.length > longest - 200 && <span class={text.length > longest ? "field-problem" : "quiet"}>{longest - text.length}</span>}</span>
        <span class="quiet writer-hint">{t("composer.hint")}</span>
        <Button kind="primary" icon="send" busy={send.busy} disabled={!canSend} onClick={() => void send.run()}>
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
