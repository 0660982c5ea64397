// Writes in a conversation that the person holds; else says why nothing can be written.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { OptedOut } from "../contact/OptedOut";
import { useSay } from "../../live/hooks";
import { named, t, tn } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Button, ErrorNotice } from "../../ui/controls";
import { CannedReplies, openedCanned } from "../whatsapp/composer/CannedReplies";
import { ENDED, type Head } from "./conversationState";
import { FirstMessage, waitsForFirst } from "./FirstMessage";
import { gsmEquivalent, measure } from "./segments";

interface Props {
  head: Head;
  me: string | null;
  onChange: () => void;
}

export function AiFoot({ head, me, onChange }: Props) {
  if (head.consent?.state === "opted_out") {
    return (
      <footer class="composer">
        <OptedOut consent={head.consent} me={me} />
      </footer>
    );
  }
  if (ENDED.includes(head.conversation_status)) return <p class="foot-note">{named("status", head.conversation_status)}</p>;
  if (waitsForFirst(head)) return <FirstMessage head={head} onChange={onChange} />;
  if (head.mode !== "human" || head.owner !== me) return <p class="foot-note">{t(head.mode === "human" ? "ai.with_colleague" : "ai.with_model")}</p>;
  return <Writer head={head} onChange={onChange} />;
}

function Writer({ head, onChange }: Omit<Props, "me">) {
  const { client } = useApp();
  const say = useSay("conversations", head.ref);
  const draft = useDraft(head.ref);
  const { text } = draft;
  const write = (next: string) => {
    draft.write(next);
    if (next.trim()) say("typing");
  };
  const send = useAction(async () => {
    await client.call("POST /conversations/{ref}/messages", { path: { ref: head.ref }, body: { text }, key: draft.keyFor(text) });
    draft.sent(text);
    onChange();
  });
  const problem = send.error?.problemOf("text");
  return (
    <footer class="composer">
      <div class="writer">
        {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} fields={["text"]} />}
        <textarea dir="auto"
          rows={3}
          value={text}
          aria-label={t("composer.label")}
          aria-invalid={Boolean(problem)}
          placeholder={t("composer.placeholder")}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => openedCanned(event, text)}
        />
        {problem && (
          <p class="field-problem" role="alert">
            {problem}
          </p>
        )}
        <div class="writer-bar">
          <CannedReplies customer={head.recipient.first_name ?? null} onChoose={(chosen) => write(text ? `${text}\n${chosen}` : chosen)} />
          <span class="writer-space">{head.channel_method === "sms" && text.trim() && <Segments text={text} />}</span>
          <Button kind="primary" icon="send" busy={send.busy} disabled={!text.trim()} onClick={() => void send.run()}>
            {t("composer.send")}
          </Button>
        </div>
      </div>
    </footer>
  );
}

function Segments({ text }: { text: string }) {
  const size = measure(gsmEquivalent(text.trim()));
  return (
    <span class="quiet" title={t(size.encoding === "UCS-2" ? "segments.ucs2" : "segments.gsm")}>
      {tn("segments", size.segments)} · {size.units} {size.encoding}
    </span>
  );
}
