// The words of a recording, written by a machine, or the button that asks for them.

import { useEffect } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { named, t } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import type { Message } from "../conversationData";

const LOOK_MS = 3_000;

export function Words({ message, onRenew }: { message: Message; onRenew: () => void }) {
  const { client } = useApp();
  const words = message.transcript;
  const isPending = words?.status === "PENDING";
  const ask = useAction(async () => {
    await client.call("POST /whatsapp/transcripts", { body: { messageId: message.id } });
    onRenew();
  });
  useEffect(() => {
    const timer = isPending && setInterval(() => document.visibilityState === "visible" && onRenew(), LOOK_MS);
    return () => void (timer && clearInterval(timer));
  }, [isPending]);
  if (!words) return null;
  return (
    <span role="status">
      {words.status === "DONE" ? (
        <span class="bubble-note" dir="auto">
          {words.text ? t("media.transcript", { words: words.text }) : t("transcript.silent")}
        </span>
      ) : isPending ? (
        <span class="bubble-note">{t("transcript.pending")}</span>
      ) : (
        <>
          {words.reason && <span class="bubble-problem">{t("transcript.failed", { reason: named("transcript", words.reason) })}</span>}
          <Button kind="quiet" busy={ask.busy} onClick={() => void ask.run()}>
            {t(words.reason ? "transcript.again" : "transcript.ask")}
          </Button>
        </>
      )}
      {ask.error && <ErrorNotice error={ask.error} />}
    </span>
  );
}
