// What the deployment still needs, each with its fix beside it.

import { useResource } from "../api/resource";
import type { ConsoleOperations } from "../api/routes";
import { useApp } from "../app";
import { Section, Table } from "../operations/sections";
import { placeOf } from "../shell/router";
import { named, t, type Key } from "../texts/texts";
import { Badge } from "../ui/controls";
import { Copied } from "./Copied";
import "./setup.css";

type Finding = ConsoleOperations.Finding;

const CHECKS = ["executions", "verify_token", "webhook", "credentials", "switch", "dead_letters", "alarms"] as const;
type Check = (typeof CHECKS)[number];

const BADGES = { ok: "info", action: "warn", unknown: "plain" } as const;
// Where a person removes the cause; the others are commands or a page of the documentation.
const PLACES: Partial<Record<Check, readonly [string, ...string[]]>> = {
  credentials: ["operations", "setup", "whatsapp"],
  switch: ["operations", "switches"],
  dead_letters: ["operations", "parked"],
  alarms: ["operations", "overview"],
};
const COMMANDS: Partial<Record<Check, string>> = {
  executions: "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000",
  verify_token: "python -m operations secrets set whatsapp-apps verify_token --stack <stack>",
};

export function Findings() {
  const { client } = useApp();
  const findings = useResource(async (signal) => (await client.call("GET /operations/findings", { signal })).result.findings, [client]);
  return (
    <Section title={t("ops.part.findings")} about={t("findings.about")} resource={findings}>
      {(rows) => (
        <>
          <p role="status">{rows.some(({ status }) => status === "action") ? t("findings.needed", { count: rows.filter(({ status }) => status === "action").length }) : t("findings.nothing")}</p>
          <Table
            label={t("ops.part.findings")}
            rows={rows}
            keyOf={(row) => `${row.check} ${row.subject ?? ""}`}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.state"), cell: (row) => <Badge kind={BADGES[row.status]}>{t(`findings.status.${row.status}`)}</Badge> },
              { name: t("ops.name"), cell: (row) => <Name row={row} /> },
              { name: t("ops.meaning"), cell: (row) => said(row) },
              { name: t("findings.fix"), cell: (row) => <Fix row={row} /> },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function Name({ row }: { row: Finding }) {
  return (
    <>
      <b>{named("findings.check", row.check)}</b>
      {row.subject && <p class="quiet">{row.subject}</p>}
    </>
  );
}

function said({ check, status, facts, reason }: Finding): string {
  if (status === "unknown") return t("ops.unavailable", { reason: reason ?? "" });
  return t(`findings.said.${check}` as Key, facts);
}

function Fix({ row }: { row: Finding }) {
  if (row.status === "ok") return <>{t("ops.unknown")}</>;
  const check = CHECKS.find((one) => one === row.check);
  if (!check) return null;
  const place = PLACES[check];
  const command = COMMANDS[check];
  return (
    <>
      <p>{t(`findings.fix.${check}`)}</p>
      {place && <a class="link" href={placeOf(...place)}>{t("findings.there")}</a>}
      {command && <Copied label={t("findings.command")} value={command} />}
    </>
  );
}
