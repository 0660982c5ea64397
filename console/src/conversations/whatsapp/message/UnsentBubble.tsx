// A message that was sent here and is not in the conversation yet; if it failed, with what the person can do.

import { ApiError } from "../../../api/errors";
import { useApp } from "../../../app";
import { actor, clock } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Button, errorText } from "../../../ui/controls";
import { Icon } from "../../../ui/icons";
import { showToast } from "../../../ui/toastList";
import { draftOf, keepDraft, keepWrittenAt } from "../../drafts";
import { mayBeSent, type Failure, type Unsent } from "../../unsent/outbox";
import { files, type Body } from "../../unsent/stores";
import type { Message } from "../conversationData";
import { shortText } from "./MessageBubble";

interface Props {
  conversation: string;
  unsent: Unsent<Body>;
  messages: ReadonlyMap<string, Message>; // by id
  me: string | null;
  onAnswer: (message: Message) => void;
}

export function textOf({ text, media }: Body): string {
  return text ?? media?.caption ?? "";
}

export function UnsentBubble({ conversation, unsent, messages, me, onAnswer }: Props) {
  const { failure, file, state } = unsent;
  const name = t(state === "sent" ? "unsent.accepted" : state === "failed" ? "unsent.failed" : "unsent.sending");
  const quoted = unsent.body.replyTo ? messages.get(unsent.body.replyTo) : undefined;
  return (
    <div class="message message-out" data-unsent={state}>
      <div class={`bubble ${failure ? "bubble-failed" : ""}`}>
        {quoted && (
          <blockquote class="quote">
            <span>{shortText(quoted)}</span>
          </blockquote>
        )}
        {file && (
          <p class="bubble-note">
            <Icon name="file" size={14} /> {file.name}
          </p>
        )}
        {textOf(unsent.body) && <p class="bubble-text" dir="auto">{textOf(unsent.body)}</p>}
        <p class="bubble-foot">
          <span>{name}</span>
          <time dateTime={unsent.at}>{clock(unsent.at)}</time>
          <Icon name={failure ? "alert" : "clock"} size={15} />
        </p>
        {failure && <Failed conversation={conversation} unsent={unsent} failure={failure} messages={messages} me={me} onAnswer={onAnswer} />}
      </div>
    </div>
  );
}

function Failed({ conversation, unsent, failure, messages, me, onAnswer }: Props & { failure: Failure }) {
  const { outbox } = useApp();
  const { newer } = failure;
  const edit = () => {
    const taken = outbox.take(conversation, unsent.key);
    if (!taken) return;
    keepWrittenAt(conversation, newer?.position ?? taken.body.position ?? null);
    keepDraft(conversation, [textOf(taken.body), draftOf(conversation)].filter(Boolean).join("\n"));
    if (taken.file) files.restore(conversation, taken.file);
    const quoted = taken.body.replyTo ? messages.get(taken.body.replyTo) : undefined;
    if (quoted) onAnswer(quoted);
  };
  const discard = () => {
    const taken = outbox.take(conversation, unsent.key);
    if (taken) showToast(t("undo.discarded"), async () => outbox.restore(conversation, taken));
  };
  const again = () => {
    if (newer) outbox.replace(conversation, unsent.key, { key: crypto.randomUUID(), body: { ...unsent.body, position: newer.position } });
    else outbox.retry(conversation, unsent.key);
  };
  return (
    <div class="bubble-problem" role="alert">
      {newer ? <Answered by={newer.by} message={messages.get(newer.id)} me={me} /> : <Reason failure={failure} />}
      <span class="unsent-actions">
        <Button onClick={again}>{t(newer ? "unsent.nevertheless" : "unsent.again")}</Button>
        {!mayBeSent(failure) && <Button onClick={edit}>{t("unsent.edit")}</Button>}
        <Button kind="quiet" onClick={discard}>
          {t("unsent.discard")}
        </Button>
      </span>
    </div>
  );
}

function Answered({ by, message, me }: { by: string | null; message: Message | undefined; me: string | null }) {
  return (
    <>
      <b>{t("unsent.answered", { who: by ? actor(by, me) : t("actor.us") })}</b>
      {message && (
        <blockquote class="quote">
          <span>{shortText(message)}</span>
        </blockquote>
      )}
    </>
  );
}

function Reason({ failure }: { failure: Failure }) {
  const { status, code, message, details } = failure;
  return (
    <>
      <span>{errorText(new ApiError(status, code, message, false, [], failure.retryAfterSeconds))}</span>
      {mayBeSent(failure) && <span>{t("unsent.perhaps")}</span>}
      {details.map(({ field, problem }) => (
        <span key={field}>{problem}</span>
      ))}
    </>
  );
}
