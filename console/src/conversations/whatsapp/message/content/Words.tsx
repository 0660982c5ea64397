// The words of a recording, written by a machine, or the button that asks for them.

import { useEffect, useState } from "preact/hooks";
import { useAction } from "../../../../api/resource";
import { useApp } from "../../../../app";
import { named, t } from "../../../../texts/texts";
import { Button, ErrorNotice } from "../../../../ui/controls";
import type { Message } from "../../conversationData";

const LOOK_MS = 3_000;
const LOOKS = 20; // after a request; then a person may ask again

export function Words({ message, onRenew }: { message: Message; onRenew: () => void }) {
  const { client } = useApp();
  const [looks, setLooks] = useState(0); // still to come
  const words = message.transcript;
  const isDone = words?.status === "DONE";
  const isPending = !isDone && (words?.status === "PENDING" || looks > 0);
  const ask = useAction(async () => {
    await client.call("POST /whatsapp/transcripts", { body: { phone: words!.phone, messageId: message.id } });
    setLooks(LOOKS);
  });
  useEffect(() => {
    if (!isPending) return;
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return;
      setLooks((left) => Math.max(0, left - 1));
      onRenew();
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [isPending]);
  // A worker has tried again.
  useEffect(() => setLooks(0), [words?.status === "FAILED" && words.reason]);
  if (!words) return null;
  return (
    <span role="status">
      {isDone ? (
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
