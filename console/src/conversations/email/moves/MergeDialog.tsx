// The dialog that makes a thread part of another one: which one, and what happens.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { moment } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import type { MergeProps } from "./Merge";

type Other = EmailThreadsApi.ThreadSummary;

const SHORTEST_SEARCH = 2; // characters
const MOST_FOUND = 10;

export function MergeDialog({ thread, onChange, onDone }: MergeProps & { onDone: () => void }) {
  const { client } = useApp();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<Other | null>(null);
  const searched = text.trim().length >= SHORTEST_SEARCH ? text.trim() : "";
  const found = useResource(
    async (signal) => {
      const query = searched ? { q: searched } : thread.participant ? { participant: thread.participant } : {};
      const { result } = await client.call("GET /email-threads", { signal, query: { ...query, limit: MOST_FOUND } });
      return { threads: result.threads.filter((one) => one.conversation_id !== thread.conversation_id), since: result.looked_back_to };
    },
    [client, searched, thread.participant],
  );
  if (chosen) return <Look thread={thread} other={chosen} onChange={onChange} onBack={() => setChosen(null)} onDone={onDone} />;
  return (
    <>
      <h2>{t("merge.title")}</h2>
      <Field label={t("merge.search")} name="q" error={found.error}>
        <input type="search" value={text} maxLength={100} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {found.error && <ErrorNotice error={found.error} fields={["q"]} onRetry={() => void found.reload()} />}
      {found.value === null && !found.error && <Skeleton rows={2} kind="row" />}
      {found.value?.threads.length === 0 && (
        <p class="quiet">{found.value.since ? t("merge.none_since", { since: moment(found.value.since) }) : t("merge.none")}</p>
      )}
      <div class="choices">
        {(found.value?.threads ?? []).map((one) => (
          <button key={one.conversation_id} type="button" class="choice" onClick={() => setChosen(one)}>
            {one.subject}
            <span class="quiet"> {[one.participant, moment(one.updated_at)].filter(Boolean).join(", ")}</span>
          </button>
        ))}
      </div>
    </>
  );
}

// What the merge does, before it is made.
function Look({ thread, other, onChange, onBack, onDone }: MergeProps & { other: Other; onBack: () => void; onDone: () => void }) {
  const { client } = useApp();
  const merge = useAction(async () => {
    const path = { conversation_id: thread.conversation_id };
    await client.call("POST /email-threads/{conversation_id}/merge", { path, body: { into: other.conversation_id } });
    onDone();
    onChange();
    showToast(t("undo.merge"), async () => {
      await client.call("POST /email-threads/{conversation_id}/unmerge", { path });
      onChange();
    });
  });
  const isOtherPerson = other.participant !== thread.participant;
  return (
    <>
      <h2>{t("merge.title")}</h2>
      <p>{t("merge.moves", { count: thread.email_count, subject: other.subject, others: other.email_count })}</p>
      <ul>
        {isOtherPerson && <li>{t("merge.other_person", { person: other.participant ?? "-" })}</li>}
        {other.mailbox !== thread.mailbox && <li>{t("merge.other_mailbox", { mailbox: other.mailbox })}</li>}
        {thread.open_drafts > 0 && <li>{t("merge.drafts", { count: thread.open_drafts })}</li>}
        <li>{t("merge.archived")}</li>
        <li>{t("merge.undo")}</li>
      </ul>
      {merge.error && <ErrorNotice error={merge.error} />}
      <Button kind="primary" busy={merge.busy} onClick={() => void merge.run()}>
        {t("merge.open")}
      </Button>
      <Button kind="quiet" onClick={onBack}>
        {t("action.back")}
      </Button>
    </>
  );
}
