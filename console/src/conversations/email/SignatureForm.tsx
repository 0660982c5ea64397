// The name and the signatures of the person: in general, and by mailbox.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const LONGEST = 1_000;

export function SignatureForm() {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("signature.title")}
      </Button>
    );
  }
  return <Loaded onDone={() => setOpen(false)} />;
}

function Loaded({ onDone }: { onDone: () => void }) {
  const { client } = useApp();
  const loaded = useResource(
    async (signal) => {
      const [signature, mailboxes] = await Promise.all([
        client.call("GET /email-threads/signature", { signal }),
        client.call("GET /email-mailboxes", { signal }),
      ]);
      return { signature: signature.result, addresses: mailboxes.result.mailboxes.map((one) => one.address) };
    },
    [client],
  );
  if (loaded.error) return <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />;
  if (loaded.value === null) return <Skeleton rows={2} kind="row" />;
  return <Form {...loaded.value} onDone={onDone} />;
}

interface FormProps {
  signature: EmailThreadsApi.SignatureView;
  addresses: string[];
  onDone: () => void;
}

function Form({ signature, addresses, onDone }: FormProps) {
  const { client } = useApp();
  const [name, setName] = useState(signature.name ?? "");
  const [text, setText] = useState(signature.text ?? "");
  const [own, setOwn] = useState<Record<string, string>>(signature.by_mailbox);
  // The texts of removed mailboxes stay.
  const shown = [...new Set([...addresses, ...Object.keys(signature.by_mailbox)])];
  const save = useAction(async () => {
    const byMailbox = Object.fromEntries(Object.entries(own).filter(([, one]) => one.trim()));
    await client.call("POST /email-threads/signature", {
      body: { ...(name.trim() && { name: name.trim() }), ...(text.trim() && { text }), by_mailbox: byMailbox },
    });
    showToast(t("signature.stored"));
    onDone();
  });
  return (
    <form
      class="picker-form"
      aria-label={t("signature.title")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error && <ErrorNotice error={save.error} fields={["name", "text", "by_mailbox"]} />}
      <p class="quiet">{t("signature.about", { variables: "{name}, {mailbox}, {mailbox_name}" })}</p>
      <Field label={t("signature.name")} name="name" error={save.error}>
        <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field label={t("signature.text")} name="text" error={save.error}>
        <textarea dir="auto" rows={3} value={text} maxLength={LONGEST} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {shown.map((address) => (
        <Field key={address} label={t("signature.of", { address })} name={`by_mailbox.${address}`}>
          <textarea dir="auto" rows={2} value={own[address] ?? ""} maxLength={LONGEST} onInput={(event) => setOwn({ ...own, [address]: event.currentTarget.value })} />
        </Field>
      ))}
      {/* The API does not name the address. */}
      {save.error?.problemOf("by_mailbox") && (
        <p class="field-problem" role="alert">
          {save.error.problemOf("by_mailbox")}
        </p>
      )}
      <Button kind="primary" type="submit" busy={save.busy}>
        {t("ops.store")}
      </Button>
      <Button kind="quiet" onClick={onDone}>
        {t("action.back")}
      </Button>
    </form>
  );
}
