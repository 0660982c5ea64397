// Canned replies and macros of the company: lists and forms.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { stepsOf } from "../../conversations/email/Macros";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { Section, Table } from "../sections";
import { CannedReplyList } from "./CannedReplyList";
import { MacroEditor } from "./MacroEditor";

type Macro = EmailThreadsApi.MacroView;

export function Macros() {
  const { client } = useApp();
  const [{ edited, number }, setEdited] = useState<{ edited: Macro | null; number: number }>({ edited: null, number: 0 });
  const replies = useResource(async (signal) => (await client.call("GET /whatsapp/canned-replies", { signal })).result.cannedReplies, [client]);
  const macros = useResource(async (signal) => (await client.call("GET /email-threads/macros", { signal })).result.macros, [client]);
  return (
    <>
      <CannedReplyList replies={replies} />
      <Section title={t("macro.title")} about={t("macro.about")} resource={macros}>
        {(rows) => (
          <>
            <Table
              label={t("macro.title")}
              rows={rows}
              keyOf={(macro) => macro.name}
              empty={t("macro.empty")}
              columns={[
                { name: t("macro.name"), cell: (macro) => <b>{macro.name}</b> },
                { name: t("macro.steps"), cell: (macro) => stepsOf(macro).join(", ") },
                { name: t("macro.change"), cell: (macro) => <RowActions macro={macro} onEdit={() => setEdited({ edited: macro, number: number + 1 })} onChange={macros.reload} /> },
              ]}
            />
            <MacroEditor key={number} macro={edited} replies={(replies.value ?? []).map((reply) => reply.name)} onChange={macros.reload} />
          </>
        )}
      </Section>
    </>
  );
}

// A macro as it is stored again.
function inputOf({ name, canned_reply, sends, add_tags, remove_tags, status, priority, assigned_to }: Macro): EmailThreadsApi.MacroInput {
  return { name, add_tags, remove_tags, ...(canned_reply && { canned_reply, sends }), ...(status && { status }), ...(priority && { priority: priority as NonNullable<EmailThreadsApi.MacroInput["priority"]> }), ...(assigned_to && { assigned_to }) };
}

function RowActions({ macro, onEdit, onChange }: { macro: Macro; onEdit: () => void; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const remove = useAction(async () => {
    const { name } = macro;
    await client.call("POST /email-threads/macros/{name}/remove", { path: { name } });
    await onChange();
    showToast(t("undo.removed", { name }), async () => {
      await client.call("POST /email-threads/macros", { body: { ...inputOf(macro), seen: null } });
      await onChange();
    });
  });
  return (
    <>
      {remove.error && <ErrorNotice error={remove.error} />}
      <Button kind="quiet" label={`${t("macro.edit")} ${macro.name}`} onClick={onEdit}>
        {t("macro.edit")}
      </Button>
      <Button kind="quiet" label={`${t("macro.remove")} ${macro.name}`} busy={remove.busy} onClick={() => void remove.run()}>
        {t("macro.remove")}
      </Button>
    </>
  );
}
