// A choice about a person that needs evidence, of which the company keeps a record: without evidence it is not sent.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiError } from "../../api/errors";
import { useAction } from "../../api/resource";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";

interface Props {
  label: string; // of the button that sends it
  send: (evidence: string) => Promise<unknown>;
  onDone: () => void;
  onChange: () => Promise<void>;
  children?: (error: ApiError | null) => ComponentChildren; // what else is asked
}

export function EvidenceForm({ label, send, onDone, onChange, children }: Props) {
  const [evidence, setEvidence] = useState("");
  const record = useAction(async () => {
    await send(evidence.trim());
    await onChange();
    onDone();
  });
  return (
    <form
      class="contact-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (evidence.trim()) void record.run();
      }}
    >
      {children?.(record.error)}
      <Field label={t("contact.evidence")} name="evidence" error={record.error}>
        <input value={evidence} maxLength={500} placeholder={t("contact.evidence_example")} onInput={(event) => setEvidence(event.currentTarget.value)} />
      </Field>
      {record.error && !record.error.problemOf("evidence") && <ErrorNotice error={record.error} />}
      <div class="contact-buttons">
        <Button type="submit" kind="primary" busy={record.busy} disabled={!evidence.trim()}>
          {label}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {t("contact.cancel")}
        </Button>
      </div>
    </form>
  );
}
