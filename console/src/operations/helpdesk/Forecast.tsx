// The report before going live, and the switch: what dry run would have sent and assigned, and what people did instead.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { LiveChange } from "../switches/LiveChange";
import { count, Section, Table } from "../sections";

type Report = RichpanelAdmin.ForecastView;
type Switches = RichpanelAdmin.SwitchesView["switches"];

const DAYS = [1, 7, 14] as const;
const COMPARED = 20; // tickets; each is a call of the help desk

export function Forecast() {
  const { client } = useApp();
  const [days, setDays] = useState<number>(7);
  const loaded = useResource(
    async (signal) => {
      const [report, switches] = await Promise.all([
        client.call("GET /admin/richpanel/forecast", { query: { days }, signal }),
        client.call("GET /admin/richpanel/switches", { signal }),
      ]);
      return { report: report.result, switches: switches.result.switches };
    },
    [client, days],
  );
  const tools = (
    <label class="ops-filter">
      <span class="field-label">{t("desk.days")}</span>
      <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
        {DAYS.map((one) => (
          <option key={one} value={one}>
            {t("desk.last_days", { count: one })}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Section title={t("desk.forecast")} about={t("desk.forecast.about")} resource={loaded} tools={tools}>
      {({ report, switches }) => (
        <>
          <Mode report={report} switches={switches} onChange={loaded.reload} />
          {!report.is_complete && <p class="notice">{t("desk.incomplete", { count: report.decisions + report.others })}</p>}
          <p class="quiet">{t("desk.others", { count: report.others })}</p>
          <ByIntent report={report} />
          {report.decisions > 0 && <Comparison key={days} days={days} />}
        </>
      )}
    </Section>
  );
}

function ByIntent({ report }: { report: Report }) {
  return (
    <Table
      label={t("desk.forecast")}
      rows={report.by_intent}
      keyOf={({ intent }) => intent}
      empty={t("desk.none")}
      columns={[
        { name: t("ops.intent"), cell: ({ intent }) => readable(intent) },
        { name: t("desk.decisions"), isNumber: true, cell: (one) => count(one.decisions) },
        { name: t("desk.would_reply"), isNumber: true, cell: (one) => count(one.would_reply) },
        { name: t("desk.would_hand_over"), isNumber: true, cell: (one) => count(one.would_hand_over) },
        { name: t("desk.would_route"), isNumber: true, cell: (one) => count(one.would_route) },
        { name: t("desk.unknown"), isNumber: true, cell: (one) => count(one.unknown) },
        { name: t("ops.team"), cell: (one) => <Counts of={one.teams} /> },
        { name: t("desk.why_not"), cell: (one) => <Counts of={one.reasons} /> },
      ]}
    />
  );
}

function Counts({ of }: { of: Record<string, number> }) {
  const counts = Object.entries(of).sort((a, b) => b[1] - a[1]);
  return (
    <ul class="ops-list">
      {counts.map(([name, times]) => (
        <li key={name}>
          {readable(name)}: {count(times)}
        </li>
      ))}
    </ul>
  );
}

// Reads tickets at the help desk, whose calls are limited: only when a person asks for it.
function Comparison({ days }: { days: number }) {
  const { client } = useApp();
  const [found, setFound] = useState<RichpanelAdmin.ComparedView | null>(null);
  const compare = useAction(async () => setFound((await client.call("GET /admin/richpanel/forecast", { query: { days, compare: COMPARED } })).result.compared));
  return (
    <div class="ops-preview">
      <p>{t("desk.compare.about", { count: COMPARED })}</p>
      <div>
        <Button busy={compare.busy} onClick={() => void compare.run()}>
          {t("desk.compare")}
        </Button>
      </div>
      {compare.error && <ErrorNotice error={compare.error} onRetry={() => void compare.run()} />}
      {found && (
        <div role="status">
          <dl class="ops-figures">
            {(["same_team", "other_team", "person", "unassigned", "not_read"] as const).map((name) => (
              <div key={name} class="ops-figure">
                <dt>{t(`desk.compared.${name}`)}</dt>
                <dd>{count(found[name])}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      {found && found.other_team > 0 && (
        <Table
          label={t("desk.compared.other_team")}
          rows={Object.entries(found.differing)}
          keyOf={([ticket]) => ticket}
          empty={t("ops.nothing")}
          columns={[
            { name: t("ops.ticket"), cell: ([ticket]) => <code>{ticket}</code> },
            { name: t("desk.team_now"), cell: ([, team]) => readable(team) },
          ]}
        />
      )}
    </div>
  );
}

function Mode({ report, switches, onChange }: { report: Report; switches: Switches; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const standing = switches.dry_run;
  const isDry = standing?.in_force === true;
  const put = (value: string) => client.call("PUT /admin/richpanel/switches", { body: { dry_run: value }, key: crypto.randomUUID() });
  const sum = (name: "would_reply" | "would_hand_over" | "would_route" | "unknown") => report.by_intent.reduce((total, one) => total + one[name], 0);
  const held = heldBack(switches);
  const act = isDry ? "live" : "dry";
  return (
    <>
      <p>
        <Badge kind={isDry ? "info" : "good"}>{t(isDry ? "desk.is_dry" : "desk.is_live")}</Badge> <Button onClick={() => setAsked(true)}>{t(`desk.go.${act}`)}</Button>
      </p>
      {held.length > 0 && <p class="notice">{t("desk.held", { switches: held.join(", ") })}</p>}
      {isAsked && (
        <LiveChange
          title={t(`desk.go.${act}`)}
          button={t(`desk.go.${act}`)}
          from={t(isDry ? "desk.is_dry" : "desk.is_live")}
          to={t(isDry ? "desk.is_live" : "desk.is_dry")}
          effect={t(`desk.effect.${act}`)}
          set={() => put(String(!isDry))}
          back={() => put(String(isDry))}
          done={t(`desk.done.${act}`)}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        >
          {isDry && (
            <p>
              {t(report.is_complete ? "desk.expected" : "desk.expected_at_least", { days: report.days, replies: sum("would_reply"), handed: sum("would_hand_over"), routed: sum("would_route") })}
            </p>
          )}
          {isDry && !report.is_complete && <p class="notice">{t("desk.incomplete", { count: report.decisions + report.others })}</p>}
          {isDry && sum("unknown") > 0 && <p>{t("desk.expected_unknown", { count: sum("unknown") })}</p>}
          {isDry && held.length > 0 && <p class="notice">{t("desk.held", { switches: held.join(", ") })}</p>}
          {isDry && <p class="quiet">{t("desk.backlog")}</p>}
        </LiveChange>
      )}
    </>
  );
}

// The other switches that hold replies back, live or not.
function heldBack(switches: Switches): string[] {
  const closed: Record<string, unknown> = { safe_mode: true, automation_enabled: false, outbound_scope: "none" };
  return Object.keys(closed).filter((name) => switches[name]?.in_force === closed[name]);
}

function readable(name: string): string {
  return name.replaceAll("_", " ");
}
