// Makes a thread part of another one: which one, what happens, and its undo.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { Dialog } from "../../../shell/Dialog";
import { moment } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";

type Thread = EmailThreadsApi.OpenedThread;
type Other = EmailThreadsApi.ThreadSummary;

const SHORTEST_SEARCH = 2; // characters
const MOST_FOUND = 10;

interface Props {
  thread: Thread;
  onChange: () => void;
}

export function Merge({ thread, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="choice" onClick={() => setOpen(true)}>
        {t("merge.open")}
      </button>
      {isOpen && (
        <Dialog label={t("merge.title")} onClose={() => setOpen(false)}>
          <Choice thread={thread} onChange={onChange} onDone={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  );
}

function Choice({ thread, onChange, onDone }: Props & { onDone: () => void }) {
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
function Look({ thread, other, onChange, onBack, onDone }: Props & { other: Other; onBack: () => void; onDone: () => void }) {
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

// The threads that are part of this one, each with the undo of its merge, and the undo of a split.
export function MergedThreads({ thread, onChange }: Props) {
  const merged = thread.undoable_merges;
  const source = thread.links.split_from ?? null;
  if (merged.length === 0 && source === null) return null;
  return (
    <section class="facts-part">
      <h3>{t("merge.parts")}</h3>
      {source && <Return thread={thread.conversation_id} into={source} onChange={onChange} />}
      {merged.map((one, number) => (
        <Undo key={one} id={one} number={number + 1} onChange={onChange} />
      ))}
    </section>
  );
}

// The undo of a split: the mails return to the thread that they came from.
function Return({ thread, into, onChange }: { thread: string; into: string; onChange: () => void }) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/merge", { path: { conversation_id: thread }, body: { into } });
    onChange();
    showToast(t("merge.undone"));
  });
  return (
    <>
      {undo.error && <ErrorNotice error={undo.error} />}
      <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
        {t("merge.undo_split")}
      </Button>
    </>
  );
}

function Undo({ id, number, onChange }: { id: string; number: number; onChange: () => void }) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /email-threads/{conversation_id}/unmerge", { path: { conversation_id: id } });
    onChange();
    showToast(t("merge.undone"));
  });
  return (
    <>
      {undo.error && <ErrorNotice error={undo.error} />}
      <Button kind="quiet" busy={undo.busy} onClick={() => void undo.run()}>
        {t("merge.undo_one", { number })}
      </Button>
    </>
  );
}
