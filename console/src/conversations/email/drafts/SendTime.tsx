// The time of a send: chosen before the approval, and stopped after it; drafts that were rejected and can be restored.

import { useState } from "preact/hooks";

import { useAction, useResource } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { moment } from "../../../texts/format";
import { named, t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";

type Draft = EmailThreadsApi.DraftView;
type Props = { draft: Draft; onChange: () => void };

const pathOf = (draft: Draft) => ({ conversation_id: draft.conversation_id, reply_id: draft.reply_id });

export function Undo({ draft, onChange }: Props) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/undo", { path: pathOf(draft), body: { version: draft.version } });
    onChange();
  });
  return (
    <div class="mail-actions">
      {undo.error && <ErrorNotice error={undo.error} />}
      {draft.send_at && <span class="quiet">{t("draft.send_at", { at: moment(draft.send_at) })}</span>}
      <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
        {t("draft.undo")}
      </Button>
    </div>
  );
}

export function SendLater({ draft, onChange }: Props) {
  const { client } = useApp();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState("");
  const [isTheirs, setTheirs] = useState(false);
  const approve = useAction(async () => {
    const time = isTheirs ? { send_at: at, time_zone: "recipient" } : { send_at: new Date(at).toISOString() };
    const body = { version: draft.version, confirm_stale: draft.is_stale === true || Boolean(draft.recent_answer), ...time };
    await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/approve", { path: pathOf(draft), body }).finally(onChange);
  });
  if (!isOpen) {
    return (
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("draft.later")}
      </Button>
    );
  }
  return (
    <div class="resolve" role="group" aria-label={t("draft.later")}>
      <Field label={t("draft.time")} name="send_at" error={approve.error}>
        <input type="datetime-local" value={at} onInput={(event) => setAt(event.currentTarget.value)} />
      </Field>
      <label>
        <input type="checkbox" checked={isTheirs} onChange={(event) => setTheirs(event.currentTarget.checked)} /> {t("draft.time_of_recipient")}
      </label>
      {approve.error && <ErrorNotice error={approve.error} fields={["send_at"]} />}
      <Button kind="primary" busy={approve.busy} disabled={!at} onClick={() => void approve.run()}>
        {t("draft.approve_later")}
      </Button>
    </div>
  );
}

export function ClosedDrafts({ thread, onChange }: { thread: string; onChange: () => void }) {
  const { client } = useApp();
  const path = { conversation_id: thread };
  const closed = useResource(
    async (signal) => (await client.call("GET /email-threads/{conversation_id}/replies", { path, signal, query: { closed: "1" } })).result.drafts,
    [client, thread],
  );
  const drafts = closed.value ?? [];
  if (closed.error) return <ErrorNotice error={closed.error} />;
  return (
    <>
      {drafts.map((draft) => (
        <ClosedDraft
          key={draft.reply_id}
          draft={draft}
          onChange={() => {
            void closed.reload();
            onChange();
          }}
        />
      ))}
      {closed.value && drafts.length === 0 && <p class="quiet">{t("draft.none_closed")}</p>}
    </>
  );
}

function ClosedDraft({ draft, onChange }: Props) {
  const { client } = useApp();
  const restore = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/replies/{reply_id}/restore", { path: pathOf(draft), body: { version: draft.version } });
    onChange();
  });
  return (
    <div class="bubble-note">
      {restore.error && <ErrorNotice error={restore.error} />}
      <p>{draft.body_text}</p>
      <p class="quiet">{[named("draft", String(draft.draft_status)), moment(draft.updated_at)].join(" · ")}</p>
      <Button kind="quiet" busy={restore.busy} onClick={() => void restore.run()}>
        {t("draft.restore")}
      </Button>
    </div>
  );
}
