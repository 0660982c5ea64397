// The decisions of the help desk of a day, newest first.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../api/routes";
import { usePageList } from "../../api/pageList";
import { useApp } from "../../app";
import { clock } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, MoreButton } from "../../ui/controls";
import { Section, Table } from "../sections";

const OUTCOMES = ["replied", "reply_failed", "handed_over", "routed", "dry_run", "not_written"] as const;
type Outcome = (typeof OUTCOMES)[number];
type Decision = RichpanelAdmin.DecisionView;

export function Decisions() {
  const { client } = useApp();
  const [day, setDay] = useState(new Date().toISOString().slice(0, 10));
  const [outcome, setOutcome] = useState<Outcome | "">("");
  const decisions = usePageList(
    async (cursor, signal) => {
      const answer = await client.call("GET /admin/richpanel/decisions", { query: { day, outcome: outcome || null, limit: 50, cursor }, signal });
      return { items: answer.result.decisions, cursor: answer.cursor };
    },
    [client, day, outcome],
  );
  const tools = (
    <>
      <label class="ops-filter">
        <span class="field-label">{t("ops.day")}</span>
        <input type="date" value={day} onChange={(event) => event.currentTarget.value && setDay(event.currentTarget.value)} />
      </label>
      <label class="ops-filter">
        <span class="field-label">{t("ops.outcome")}</span>
        <select value={outcome} onChange={(event) => setOutcome(event.currentTarget.value as Outcome | "")}>
          <option value="">{t("ops.every")}</option>
          {OUTCOMES.map((one) => (
            <option key={one} value={one}>
              {named("outcome", one)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
  return (
    <Section title={t("ops.part.decisions")} resource={decisions.first} tools={tools}>
      {() => (
        <>
          <DecisionTable rows={decisions.items} />
          <MoreButton isOffered={decisions.hasMore} next={decisions.next} />
        </>
      )}
    </Section>
  );
}

function DecisionTable({ rows }: { rows: Decision[] }) {
  return (
    <Table
      label={t("ops.part.decisions")}
      rows={rows}
      keyOf={(row) => `${row.at}${row.event_id}`}
      empty={t("ops.decisions.none")}
      columns={[
        { name: t("ops.at"), cell: (row) => <time dateTime={row.at}>{clock(row.at)}</time> },
        { name: t("ops.ticket"), cell: (row) => <code>{row.conversation_id}</code> },
        {
          name: t("ops.outcome"),
          cell: (row) => <Badge kind={row.outcome === "replied" ? "accent" : row.outcome === "reply_failed" ? "warn" : "plain"}>{named("outcome", row.outcome)}</Badge>,
        },
        { name: t("ops.intent"), cell: (row) => (row.intent ?? "").replaceAll("_", " ") },
        { name: t("ops.team"), cell: (row) => (row.team ?? "").replaceAll("_", " ") },
        { name: t("ops.reason"), cell: (row) => row.gate ?? "" },
        { name: t("ops.cost.dollars"), isNumber: true, cell: (row) => row.ai_dollars ?? "" },
        {
          name: t("ops.facts"),
          cell: (row) => (
            <details>
              <summary>{row.template ?? t("ops.show")}</summary>
              <pre class="ops-facts">{JSON.stringify(row.facts, null, 1)}</pre>
            </details>
          ),
        },
      ]}
    />
  );
}
