// The canned replies of the company, which all channels share: texts with variables.

import { useState } from "preact/hooks";
import type { WhatsappSending } from "../../api/routes";
import { asApiError } from "../../api/errors";
import { useAction, type Resource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { actor } from "../../texts/format";
import { Section, Table } from "../sections";

type Reply = WhatsappSending.CannedReplyView;

export function CannedReplyList({ replies }: { replies: Resource<Reply[]> }) {
  const [{ edited, number }, setEdited] = useState<{ edited: Reply | null; number: number }>({ edited: null, number: 0 });
  return (
    <Section title={t("canned.title")} about={t("canned.about", { example: "{{name}}" })} resource={replies}>
      {(rows) => (
        <>
          <Table
            label={t("canned.title")}
            rows={rows}
            keyOf={(reply) => reply.name}
            empty={t("canned.empty")}
            columns={[
              { name: t("macro.name"), cell: (reply) => <b>{reply.name}</b> },
              { name: t("canned.text"), cell: (reply) => reply.text },
              { name: t("macro.change"), cell: (reply) => <RowActions reply={reply} onEdit={() => setEdited({ edited: reply, number: number + 1 })} onChange={replies.reload} /> },
            ]}
          />
          <Editor key={number} reply={edited} onChange={replies.reload} />
        </>
      )}
    </Section>
  );
}

function RowActions({ reply, onEdit, onChange }: { reply: Reply; onEdit: () => void; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const remove = useAction(async () => {
    const path = { name: reply.name };
    await client.call("DELETE /whatsapp/canned-replies/{name}", { path, key: crypto.randomUUID() });
    await onChange();
    showToast(t("undo.removed", path), async () => {
      await client.call("PUT /whatsapp/canned-replies/{name}", { path, body: { text: reply.text, seen: null }, key: crypto.randomUUID() });
      await onChange();
    });
  });
  return (
    <>
      {remove.error && <ErrorNotice error={remove.error} />}
      <Button kind="quiet" label={`${t("macro.edit")} ${reply.name}`} onClick={onEdit}>
        {t("macro.edit")}
      </Button>
      <Button kind="quiet" label={`${t("macro.remove")} ${reply.name}`} busy={remove.busy} onClick={() => void remove.run()}>
        {t("macro.remove")}
      </Button>
    </>
  );
}

// A colleague's change is shown before it is replaced: the next storing names it.
function Editor({ reply, onChange }: { reply: Reply | null; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [name, setName] = useState(reply?.name ?? "");
  const [text, setText] = useState(reply?.text ?? "");
  const [seen, setSeen] = useState(reply);
  const save = useAction(async () => {
    try {
      const body = { text, seen: seen?.name === name ? seen.updatedAt : null };
      setSeen((await client.call("PUT /whatsapp/canned-replies/{name}", { path: { name }, body, key: crypto.randomUUID() })).result);
      await onChange();
    } catch (failure) {
      if (asApiError(failure).code === "version_conflict") {
        const now = (await client.call("GET /whatsapp/canned-replies", {})).result.cannedReplies;
        setSeen(now.find((one) => one.name === name) ?? null);
        await onChange();
      }
      throw failure;
    }
  });
  const meanwhile = save.error?.code === "version_conflict" ? seen : null;
  return (
    <form
      class="ops-editor"
      aria-label={t("canned.form")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error && <ErrorNotice error={save.error} fields={["name", "text", "seen"]} />}
      {meanwhile && (
        <p class="notice">
          {t("canned.meanwhile", { name: actor(meanwhile.updatedBy, me) })} <q dir="auto">{meanwhile.text}</q>
        </p>
      )}
      <Field label={t("macro.name")} name="name" error={save.error}>
        <input value={name} maxLength={64} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field label={t("canned.text")} name="text" error={save.error}>
        <textarea dir="auto" rows={5} value={text} maxLength={4096} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy} disabled={!name || !text.trim()}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}
