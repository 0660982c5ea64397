// The recipients of a draft, with a warning about unknown ones, and their change before it is sent.

import { useState } from "preact/hooks";

import { useAction } from "../../../api/resource";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";

type Draft = EmailThreadsApi.DraftView;

export const AMENDABLE = ["pending", "amended", "failed"];

const addresses = (text: string) => text.split(/[,;\s]+/).filter(Boolean);

export function Recipients({ draft, onChange }: { draft: Draft; onChange: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const unknown = draft.unknown_recipients ?? [];
  return (
    <>
      <p class="quiet">{t("mail.to", { to: [...draft.to, ...draft.cc].join(", ") })}</p>
      {draft.bcc.length > 0 && <p class="quiet">{t("draft.bcc", { to: draft.bcc.join(", ") })}</p>}
      {unknown.length > 0 && (
        <p class="bubble-problem" role="note">
          {t("draft.unknown_recipients", { to: unknown.join(", ") })}
        </p>
      )}
      {AMENDABLE.includes(String(draft.draft_status)) && !isOpen && (
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {t("draft.recipients")}
        </Button>
      )}
      {isOpen && (
        <Form
          draft={draft}
          onDone={() => {
            setOpen(false);
            onChange();
          }}
        />
      )}
    </>
  );
}

function Form({ draft, onDone }: { draft: Draft; onDone: () => void }) {
  const { client } = useApp();
  const [fields, setFields] = useState({ to: draft.to.join(", "), cc: draft.cc.join(", "), bcc: draft.bcc.join(", ") });
  const path = { conversation_id: draft.conversation_id, reply_id: draft.reply_id };
  const save = useAction(async () => {
    const body = { version: draft.version, to: addresses(fields.to), cc: addresses(fields.cc), bcc: addresses(fields.bcc) };
    await client.call("PATCH /email-threads/{conversation_id}/replies/{reply_id}", { path, body });
    onDone();
  });
  return (
    <div class="resolve" role="group" aria-label={t("draft.recipients")}>
      {(["to", "cc", "bcc"] as const).map((name) => (
        <Field key={name} label={t(`draft.field.${name}`)} name={name} error={save.error}>
          <input value={fields[name]} onInput={(event) => setFields({ ...fields, [name]: event.currentTarget.value })} />
        </Field>
      ))}
      {save.error && <ErrorNotice error={save.error} fields={["to", "cc", "bcc"]} />}
      <Button kind="primary" busy={save.busy} onClick={() => void save.run()}>
        {t("draft.save_recipients")}
      </Button>
    </div>
  );
}
