// A first message that waits for review: the model writes and sends it, or the agent's text is sent instead.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { REVIEW, type Head } from "./conversationState";

export function waitsForFirst(head: Head): boolean {
  return head.conversation_status === "handoff_pending" && head.last_outbound_at == null && [head.status_reason, head.hand_off_to_human_reason].includes(REVIEW);
}

export function FirstMessage({ head, onChange }: { head: Head; onChange: () => void }) {
  const { client } = useApp();
  const draft = useDraft(`first:${head.ref}`);
  const { text } = draft;
  const release = useAction(async () => {
    await client.call("POST /conversations/{ref}/release", { path: { ref: head.ref }, body: text.trim() ? { text } : {}, key: draft.keyFor(text) });
    draft.sent(text);
    onChange();
  });
  return (
    <footer class="composer">
      <form
        class="picker-form"
        onSubmit={(event) => {
          event.preventDefault();
          void release.run();
        }}
      >
        <p>
          <b>{t("first.title")}</b> {t("first.text")}
        </p>
        <Field label={t("first.own")} name="text" error={release.error}>
          <textarea dir="auto" rows={3} value={text} onInput={(event) => draft.write(event.currentTarget.value)} />
        </Field>
        {release.error && <ErrorNotice error={release.error} fields={["text"]} onRetry={() => void release.run()} />}
        <Button kind="primary" icon="send" type="submit" busy={release.busy}>
          {t(text.trim() ? "first.send_own" : "first.release")}
        </Button>
      </form>
    </footer>
  );
}
