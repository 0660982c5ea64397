// What needs attention now; then alarms, queues and the conservation account of the deployment.

import { useState } from "preact/hooks";
import type { ConsoleOperations } from "../../api/routes";
import { useResource, type Resource } from "../../api/resource";
import { useApp } from "../../app";
import { duration } from "../../texts/format";
import { language, named, t } from "../../texts/texts";
import alarmTexts from "./alarms.json"; // few people need them: they are no part of the first load
import { Badge } from "../../ui/controls";
import { AttentionNow } from "./AttentionNow";
import { count, Section, Table, Time } from "../sections";

const POLL_MS = 60_000;
const DAY_MS = 86_400_000;

export function Overview() {
  const { client } = useApp();
  const [from, setFrom] = useState(dayBefore(0));
  const alarms = useResource(
    async (signal) => (await client.call("GET /operations/alarms", { signal })).result.alarms,
    [client],
    POLL_MS,
  );
  const queues = useResource(
    async (signal) => (await client.call("GET /operations/queues", { signal })).result,
    [client],
    POLL_MS,
  );
  const accounts = useResource(
    async (signal) =>
      (await client.call("GET /operations/conservation", { query: { from, to: dayBefore(0) }, signal })).result.accounts,
    [client, from],
  );
  return (
    <>
      <AttentionNow known={{ alarms: alarms.value, queues: queues.value?.queues ?? null, accounts: accounts.value }} />
      <Alarms alarms={alarms} />
      <Queues queues={queues} />
      <Conservation accounts={accounts} from={from} onChoose={setFrom} />
    </>
  );
}

function Alarms({ alarms }: { alarms: Resource<ConsoleOperations.AlarmView[]> }) {
  return (
    <Section id="ops-alarms" title={t("ops.alarms")} resource={alarms}>
      {(rows) => (
        <Table
          label={t("ops.alarms")}
          rows={rows}
          keyOf={(alarm) => alarm.name}
          empty={t("ops.alarms.none")}
          columns={[
            { name: t("ops.name"), cell: (alarm) => <b>{alarm.name}</b> },
            {
              name: t("ops.state"),
              cell: (alarm) => (
                <Badge kind={alarm.state === "ALARM" ? "warn" : alarm.state === "OK" ? "accent" : "plain"}>
                  {named("alarm", alarm.state)}
                </Badge>
              ),
            },
            { name: t("ops.since"), cell: (alarm) => <Time at={alarm.changedAt} /> },
            {
              name: t("ops.meaning"),
              cell: (alarm) => (
                <>
                  {meaningOf(alarm)}
                  {alarm.state === "ALARM" && <p class="quiet">{alarm.reason}</p>}
                </>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

// In the person's language; of an alarm that this console does not know, as its template says it.
function meaningOf({ name, description }: ConsoleOperations.AlarmView): string {
  const texts: Record<string, string> = alarmTexts[language];
  return texts[name] ?? description;
}

function Queues({ queues }: { queues: Resource<ConsoleOperations.QueuesView> }) {
  return (
    <Section id="ops-queues" title={t("ops.queues")} about={t("ops.queues.about")} resource={queues}>
      {(found) => (
        <>
          {found.agesProblem && <p class="notice notice-warn">{t("ops.unavailable", { reason: found.agesProblem })}</p>}
          <Table
            label={t("ops.queues")}
            rows={found.queues}
            keyOf={(queue) => queue.name}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.name"), cell: (queue) => <QueueName queue={queue} /> },
              { name: t("ops.waiting"), isNumber: true, cell: (queue) => count(queue.waiting) },
              { name: t("ops.in_flight"), isNumber: true, cell: (queue) => count(queue.inFlight) },
              {
                name: t("ops.oldest"),
                isNumber: true,
                cell: (queue) => (typeof queue.oldestSeconds === "number" ? duration(queue.oldestSeconds * 1000) : ""),
              },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function QueueName({ queue }: { queue: ConsoleOperations.QueueView }) {
  const holds = queue.isDeadLetters && (queue.waiting ?? 0) + (queue.inFlight ?? 0) > 0;
  return (
    <>
      {queue.name} {holds && <Badge kind="warn">{t("ops.dead_letters")}</Badge>}
      {queue.problem && <p class="field-problem">{t("ops.unavailable", { reason: queue.problem })}</p>}
    </>
  );
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

interface ConservationProps {
  accounts: Resource<ConsoleOperations.AccountView[]>;
  from: string;
  onChoose: (from: string) => void;
}

function Conservation({ accounts, from, onChoose }: ConservationProps) {
  const days = (
    <label class="ops-filter">
      <span class="field-label">{t("ops.period")}</span>
      <select value={from} onChange={(event) => onChoose(event.currentTarget.value)}>
        {[0, 1, 6, 29].map((before) => (
          <option key={before} value={dayBefore(before)}>
            {t(`ops.period.${before}` as "ops.period.0")}
          </option>
        ))}
      </select>
    </label>
  );
  const number = (name: string, of: (row: ConsoleOperations.AccountView) => number | null | undefined) => ({
    name,
    isNumber: true,
    cell: (row: ConsoleOperations.AccountView) => count(of(row)),
  });
  return (
    <Section id="ops-conservation" title={t("ops.conservation")} about={t("ops.conservation.about")} resource={accounts} tools={days}>
      {(rows) => (
        <Table
          label={t("ops.conservation")}
          rows={rows}
          keyOf={(row) => row.context}
          empty={t("ops.nothing")}
          columns={[
            { name: t("ops.context"), cell: (row) => <b>{named("context", row.context)}</b> },
            number(t("ops.accepted"), (row) => row.accepted),
            number(t("ops.put_back"), (row) => row.putBack),
            number(t("ops.stored"), (row) => row.stored),
            number(t("ops.duplicate"), (row) => row.duplicate),
            number(t("ops.parked"), (row) => row.parked),
            number(t("ops.other"), (row) => row.other),
            number(t("ops.waiting"), (row) => row.waiting),
            number(t("ops.dead_letters"), (row) => row.deadLetters),
            { name: t("ops.difference"), isNumber: true, cell: (row) => <Difference row={row} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Difference({ row }: { row: ConsoleOperations.AccountView }) {
  if (typeof row.difference !== "number") return <span class="quiet">{row.remark ?? t("ops.unknown")}</span>;
  return (
    <>
      <Badge kind={row.difference === 0 ? "accent" : "warn"}>{count(row.difference)}</Badge>
      {row.remark && <p class="quiet">{row.remark}</p>}
    </>
  );
}
