// People who named a thread and may not join it: they wait in a thread of their own, until a person decides.

import { useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp, useSession } from "../../../app";
import { rightsOf } from "../../../operations/access";
import { Confirm } from "../../../operations/sections";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";

type Thread = EmailThreadsApi.OpenedThread;
type Request = EmailThreadsApi.JoinRequest;

export function Joining({ thread, onChange }: { thread: Thread; onChange: () => void }) {
  if (thread.join_requests.length === 0) return null;
  return (
    <section class="facts-part">
      <h3>{t("joining.title")}</h3>
      {thread.join_requests.map((request) => (
        <JoinRequest key={request.conversation_id} thread={thread.conversation_id} request={request} onChange={onChange} />
      ))}
    </section>
  );
}

function JoinRequest({ thread, request, onChange }: { thread: string; request: Request; onChange: () => void }) {
  const { client } = useApp();
  const { approves } = rightsOf(useSession());
  const path = { conversation_id: thread, requester: request.conversation_id };
  const admit = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/join-requests/{requester}/admit", { path });
    onChange();
    showToast(t("undo.merge"), async () => {
      await client.call("POST /email-threads/{conversation_id}/unmerge", { path: { conversation_id: request.conversation_id } });
      onChange();
    });
  });
  const decline = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/join-requests/{requester}/decline", { path });
    onChange();
  });
  const { error } = admit;
  const [isAsked, setAsked] = useState(false);
  return (
    <div class="bubble-note">
      {error && <ErrorNotice error={error} />}
      <p>
        <b>{request.participant ?? ""}</b> {request.snippet}
      </p>
      {approves && (
        <div class="mail-actions">
          <Button icon="check" busy={admit.busy} onClick={() => void admit.run()}>
            {t("joining.admit")}
          </Button>
          <Button kind="quiet" onClick={() => setAsked(true)}>
            {t("joining.decline")}
          </Button>
        </div>
      )}
      {isAsked && (
        <Confirm title={t("joining.decline")} action={decline} button={t("joining.decline")} onClose={() => setAsked(false)} onDone={() => setAsked(false)}>
          {t("joining.decline_means")}
        </Confirm>
      )}
    </div>
  );
}
