// A function call of the model that waits for a person: approve runs it once, refuse hands back without it.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { Button, ErrorNotice } from "../../ui/controls";
import type { Head, Waiting } from "./conversationState";

export function FunctionApproval({ head, waiting, onChange }: { head: Head; waiting: Waiting; onChange: () => void }) {
  const { client } = useApp();
  const path = { ref: head.ref };
  const approve = useAction(async () => {
    await client.call("POST /conversations/{ref}/release", { path, body: { draft_entry_id: waiting.entry_id } });
    onChange();
  });
  const refuse = useAction(async () => {
    await client.call("POST /conversations/{ref}/hand-back", { path, body: { answer_pending: true } });
    onChange();
  });
  const error = approve.error ?? refuse.error;
  return (
    <section class="notice notice-warn approval" aria-label={t("approval.title")}>
      <Icon name="bolt" />
      <div>
        <p>
          <b>{t("approval.title")}</b> {waiting.name}
        </p>
        <Arguments values={waiting.arguments} />
        {error && <ErrorNotice error={error} />}
        <div class="mail-actions">
          <Button kind="primary" icon="check" busy={approve.busy} disabled={refuse.busy} onClick={() => void approve.run()}>
            {t("approval.approve")}
          </Button>
          <Button kind="plain" icon="close" busy={refuse.busy} disabled={approve.busy} onClick={() => void refuse.run()}>
            {t("approval.refuse")}
          </Button>
        </div>
        <p class="detail">{t("approval.refuse_text")}</p>
      </div>
    </section>
  );
}

export function Arguments({ values }: { values: Record<string, unknown> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <p class="quiet">{t("approval.no_arguments")}</p>;
  return (
    <dl class="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
