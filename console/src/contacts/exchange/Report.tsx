// How far an import is, and the rows that were refused.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import type { ConsoleApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { count, Section, Table } from "../../operations/sections";
import { moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice, MoreButton } from "../../ui/controls";
import { placed } from "./PreviewTable";
import { OUTCOMES } from "./source";

const POLL_MS = 4_000;

export function Report({ importId }: { importId: string }) {
  const { client } = useApp();
  const path = { import_id: importId };
  const [isDone, setDone] = useState(false);
  const state = useResource(
    async (signal) => {
      const { result } = await client.call("GET /contacts/imports/{import_id}", { path, signal });
      setDone(result.stage === "done" && result.undo?.stage !== "running");
      return result;
    },
    [client, importId],
    isDone ? null : POLL_MS,
  );
  return (
    <Section title={t("exchange.report")} resource={state}>
      {(found) => (
        <>
          <p role="status">
            {found.stage === "done"
              ? named("exchange.ended", found.outcome ?? "done")
              : t("exchange.running", { handled: count(found.handled), total: count(found.total) })}
          </p>
          {found.stage === "running" && <Stop importId={importId} isStopping={found.isStopping} onStopped={state.reload} />}
          <progress max={found.total || 1} value={found.handled} aria-label={t("exchange.report")} />
          <ul>
            {OUTCOMES.map((outcome) => (
              <li key={outcome}>
                {named("exchange.did", outcome)}: <b>{count(found[outcome])}</b>
              </li>
            ))}
          </ul>
          <Undo found={found} onChange={state.reload} />
          {found.refused > 0 && <Refused key={found.stage} importId={importId} />}
        </>
      )}
    </Section>
  );
}

function Undo({ found, onChange }: { found: ConsoleApi.ImportView; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const undo = useAction(async () => {
    await client.call("POST /contacts/imports/{import_id}/undo", { path: { import_id: found.importId } });
    await onChange();
  });
  if (found.undo) {
    const { stage, withdrawn, kept, gone } = found.undo;
    return <p role="status">{t(`exchange.undo.${stage}`, { withdrawn: count(withdrawn), kept: count(kept), gone: count(gone) })}</p>;
  }
  if (!found.undoUntil) return null;
  return (
    <>
      <p class="quiet">{t("exchange.undo.about", { until: moment(found.undoUntil) })}</p>
      {undo.error && <ErrorNotice error={undo.error} onRetry={() => void undo.run()} />}
      <Button busy={undo.busy} onClick={() => void undo.run()}>
        {t("exchange.undo")}
      </Button>
    </>
  );
}

function Stop({ importId, isStopping, onStopped }: { importId: string; isStopping: boolean; onStopped: () => Promise<void> }) {
  const { client } = useApp();
  const stop = useAction(async () => {
    await client.call("POST /contacts/imports/{import_id}/stop", { path: { import_id: importId } });
    await onStopped();
  });
  if (isStopping) return <p class="quiet">{t("exchange.stopping")}</p>;
  return (
    <>
      {stop.error && <ErrorNotice error={stop.error} onRetry={() => void stop.run()} />}
      <Button busy={stop.busy} onClick={() => void stop.run()}>
        {t("exchange.stop")}
      </Button>
    </>
  );
}

function Refused({ importId }: { importId: string }) {
  const { client } = useApp();
  const rows = usePageList(
    async (cursor, signal) => {
      const path = { import_id: importId };
      const answer = await client.call("GET /contacts/imports/{import_id}/rows", { path, query: { outcome: "refused", cursor }, signal });
      return { items: answer.result.rows, cursor: answer.cursor };
    },
    [client, importId],
  );
  return (
    <Section title={t("exchange.refused")} resource={rows.first}>
      {() => (
        <>
          <Table
            label={t("exchange.refused")}
            rows={rows.items}
            keyOf={({ line }) => String(line)}
            empty={t("exchange.preview.none")}
            columns={[
              { name: t("exchange.line"), isNumber: true, cell: ({ line }) => line },
              { name: t("exchange.why"), cell: ({ column, rule }) => placed(column, rule ?? "") },
            ]}
          />
          <MoreButton isOffered={rows.hasMore} next={rows.next} />
        </>
      )}
    </Section>
  );
}
