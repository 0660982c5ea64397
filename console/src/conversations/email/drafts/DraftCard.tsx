// A draft of a person or of the model: its review, and the outcome of a send in doubt.

import { useAction } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp, useSession } from "../../../app";
import { actor, megabytes, moment } from "../../../texts/format";
import { rightsOf } from "../../../operations/access";
import { named, t, type Key } from "../../../texts/texts";
import { Icon } from "../../../ui/icons";
import { showToast } from "../../../ui/toastList";
import { Badge, Button, ErrorNotice } from "../../../ui/controls";
import { DraftText } from "./DraftText";
import { Recipients } from "./Recipients";
import { SendLater, Undo } from "./SendTime";

type Draft = EmailThreadsApi.DraftView;

export const SENDING = ["approved", "sending"];

// The customer has written, or another answer was sent: the approval says so.
export function isSecond(draft: Draft): boolean {
  return draft.is_stale === true || Boolean(draft.recent_answer);
}

export function DraftCard({ draft, me, onChange }: { draft: Draft; me: string | null; onChange: () => void }) {
  const { client } = useApp();
  const { approves } = rightsOf(useSession());
  const path = { conversation_id: draft.conversation_id, reply_id: draft.reply_id };
  const approve = useAction(async () => {
    const body = { version: draft.version, confirm_stale: isSecond(draft) };
    // A refusal is read, too: the thread or the draft has changed, and the button then says so.
    await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/approve", { path, body }).finally(onChange);
  });
  const close = async (text: Key, route: "POST /email-threads/{conversation_id}/replies/{reply_id}/reject" | "POST /email-threads/{conversation_id}/replies/{reply_id}/withdraw") => {
    const { version } = (await client.call(route, { path, body: { version: draft.version } })).result;
    onChange();
    showToast(t(text), async () => {
      await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/restore", { path, body: { version } });
      onChange();
    });
  };
  const reject = useAction(() => close("undo.discarded", "POST /email-threads/{conversation_id}/replies/{reply_id}/reject"));
  const withdraw = useAction(() => close("undo.withdrawn", "POST /email-threads/{conversation_id}/replies/{reply_id}/withdraw"));
  const error = approve.error ?? reject.error ?? withdraw.error;
  const isSending = SENDING.includes(String(draft.draft_status));
  return (
    <article class="mail mail-draft">
      <header class="mail-head">
        <Icon name={draft.origin === "ai" ? "robot" : "note"} />
        <div>
          <b>{t("draft.title")}</b>
          <p class="quiet">{draft.origin === "ai" ? t("actor.model") : actor(draft.origin, me)}</p>
          {draft.ai_dollars != null && <p class="quiet">{`${t("made.cost")}: $${draft.ai_dollars}`}</p>}
        </div>
        <Badge kind="info">{named("draft", String(draft.draft_status))}</Badge>
        {draft.recent_answer && <Badge kind="warn">{t("draft.recent_answer")}</Badge>}
        {draft.is_stale && <Badge kind="warn">{t("draft.stale")}</Badge>}
      </header>
      <Recipients draft={draft} onChange={onChange} />
      <DraftText draft={draft} onChange={onChange} />
      {draft.attachments.length > 0 && <p class="quiet">{draft.attachments.map((file) => `${file.filename} (${megabytes(file.size)})`).join(", ")}</p>}
      {draft.questions.length > 0 && <p class="quiet">{draft.questions.join(" ")}</p>}
      {draft.reason && <p class="bubble-problem">{named("reason", draft.reason)}</p>}
      {error && <ErrorNotice error={error} />}
      {approves && draft.draft_status === "unknown" && <Resolve draft={draft} onChange={onChange} />}
      {draft.draft_status === "approved" && <Undo draft={draft} onChange={onChange} />}
      {!approves && draft.origin === me && !isSending && (
        <Button kind="quiet" busy={withdraw.busy} onClick={() => void withdraw.run()}>
          {t("draft.withdraw")}
        </Button>
      )}
      {approves && !isSending && (
        <div class="mail-actions">
          <Button kind="primary" icon="send" busy={approve.busy} onClick={() => void approve.run()}>
            {t(draft.draft_status === "failed" || draft.draft_status === "unknown" ? "draft.again" : isSecond(draft) ? "draft.approve_stale" : "draft.approve")}
          </Button>
          <Button kind="quiet" busy={reject.busy} onClick={() => void reject.run()}>
            {t("draft.reject")}
          </Button>
          <SendLater draft={draft} onChange={onChange} />
        </div>
      )}
    </article>
  );
}

function Resolve({ draft, onChange }: { draft: Draft; onChange: () => void }) {
  const { client } = useApp();
  const path = { conversation_id: draft.conversation_id, reply_id: draft.reply_id };
  let arrived = true;
  const resolve = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/resolve", { path, body: { version: draft.version, arrived } });
    onChange();
  });
  const decide = (whether: boolean) => {
    arrived = whether;
    void resolve.run();
  };
  return (
    <div class="resolve" role="group" aria-label={t("unknown.question")}>
      <p>{t("delivery.unknown_text")}</p>
      <p class="quiet">{[t("unknown.attempt"), draft.attempt, moment(draft.updated_at)].join(" · ")}</p>
      {resolve.error && <ErrorNotice error={resolve.error} />}
      <div class="mail-actions">
        <Button busy={resolve.busy} onClick={() => decide(true)}>
          {t("draft.arrived")}
        </Button>
        <Button busy={resolve.busy} onClick={() => decide(false)}>
          {t("draft.not_arrived")}
        </Button>
      </div>
    </div>
  );
}
