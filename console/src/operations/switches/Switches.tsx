// Switches of the deployment and of the help desk, with who changed them and when.

import { useRef, useState } from "preact/hooks";
import type { ConsoleOperations, RichpanelAdmin } from "../../api/routes";
import { asApiError, type ApiError } from "../../api/errors";
import { useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button, Field } from "../../ui/controls";
import type { Rights } from "../access";
import { LiveChange, openOf } from "./LiveChange";
import { Section, Table, Time } from "../sections";

export function Switches({ rights }: { rights: Rights }) {
  return (
    <>
      {rights.operator && <OfDeployment />}
      {rights.admin && <OfHelpDesk />}
    </>
  );
}

type Switch = ConsoleOperations.DeploymentSwitch;

function OfDeployment() {
  const { client } = useApp();
  const [asked, setAsked] = useState<Switch | null>(null);
  const switches = useResource(
    async (signal) => (await client.call("GET /operations/switches", { signal })).result.switches,
    [client],
  );
  return (
    <Section title={t("ops.switches.deployment")} about={t("ops.switches.deployment_about")} resource={switches}>
      {(rows) => (
        <>
          <Table
            label={t("ops.switches.deployment")}
            rows={rows}
            keyOf={(row) => row.parameter}
            empty={t("ops.nothing")}
            columns={[
              {
                name: t("ops.name"),
                cell: (row) => (
                  <>
                    <b>{row.name}</b>
                    <p class="quiet">{named("context", row.context)}</p>
                  </>
                ),
              },
              { name: t("ops.value"), cell: (row) => <Stored row={row} /> },
              { name: t("ops.changes"), cell: (row) => <History changes={row.changes} /> },
              { name: t("ops.parameter"), cell: (row) => <code>{row.parameter}</code> },
              {
                name: t("ops.action"),
                cell: (row) => (
                  <Button label={t("ops.switches.change_of", { name: `${row.name} (${named("context", row.context)})` })} onClick={() => setAsked(row)}>
                    {t("ops.change")}
                  </Button>
                ),
              },
            ]}
          />
          {asked && (
            <Turn
              row={asked}
              onClose={() => setAsked(null)}
              onChanged={switches.reload}
            />
          )}
        </>
      )}
    </Section>
  );
}

function Turn({ row, onClose, onChanged }: { row: Switch; onClose: () => void; onChanged: () => Promise<void> }) {
  const { client } = useApp();
  const on = row.text !== "true";
  const set = (next: boolean) => {
    const body = { context: row.context as "whatsapp", name: row.name as "safe_mode", on: next };
    return client.call("POST /operations/switches", { body });
  };
  const effect = row.name === "safe_mode" ? (on ? "stops" : "sends") : on ? "automatic" : "people";
  return (
    <LiveChange
      title={t("ops.switches.change_of", { name: row.name })}
      button={t(on ? "ops.switches.turn_on" : "ops.switches.turn_off")}
      from={row.text ?? t("ops.unknown")}
      to={String(on)}
      effect={t(`ops.switches.effect.${effect}`, { context: named("context", row.context) })}
      {...(isCounted(row.context) && { affected: openOf(client, row.context) })}
      set={() => set(on)}
      back={() => set(!on)}
      done={t("ops.switches.is_set")}
      onClose={onClose}
      onChanged={onChanged}
    >
      <p class="quiet">{t("ops.switches.affected")}</p>
    </LiveChange>
  );
}

function isCounted(context: string): context is "whatsapp" | "conversations" | "email_threads" {
  return ["whatsapp", "conversations", "email_threads"].includes(context);
}

function Stored({ row }: { row: ConsoleOperations.DeploymentSwitch }) {
  if (row.problem) return <p class="field-problem">{t("ops.unavailable", { reason: row.problem })}</p>;
  return <Badge kind="info">{row.text ?? t("ops.unknown")}</Badge>;
}

function History({ changes }: { changes: ConsoleOperations.SwitchChange[] }) {
  return (
    <ul class="ops-list">
      {changes.slice(0, 3).map((change) => (
        <li key={change.at}>
          {change.text} · <Time at={change.at} /> <span class="quiet">{change.by.split("/").slice(-1)[0]}</span>
        </li>
      ))}
    </ul>
  );
}

interface Facts {
  who?: string;
  switch?: string;
  from?: unknown;
  to?: unknown;
}

function OfHelpDesk() {
  const { client } = useApp();
  const [asked, setAsked] = useState<string | null>(null);
  const switches = useResource(
    async (signal) => (await client.call("GET /admin/richpanel/switches", { signal })).result,
    [client],
  );
  return (
    <Section title={t("ops.switches.help_desk")} about={t("ops.switches.help_desk_about")} resource={switches}>
      {(found) => (
        <>
          {!found.readable && <p class="notice notice-warn">{t("ops.switches.unreadable")}</p>}
          <Table
            label={t("ops.switches.help_desk")}
            rows={Object.entries(found.switches)}
            keyOf={([name]) => name}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.name"), cell: ([name]) => <Meaning name={name} /> },
              { name: t("ops.in_force"), cell: ([, standing]) => <code>{JSON.stringify(standing.in_force)}</code> },
              { name: t("ops.action"), cell: ([name]) => <Button onClick={() => setAsked(name)}>{t("ops.change")}</Button> },
            ]}
          />
          <Changes changes={found.changes} />
          {asked && (
            <Change
              name={asked}
              standing={found.switches[asked]!}
              onClose={() => setAsked(null)}
              onChanged={switches.reload}
            />
          )}
        </>
      )}
    </Section>
  );
}

// The effect of a switch in words; its name is the API's.
function Meaning({ name }: { name: string }) {
  const effect = named("switch", name);
  return (
    <>
      <b>{name}</b>
      {effect !== name.replaceAll("_", " ") && <p class="quiet">{effect}</p>}
    </>
  );
}

function Changes({ changes }: { changes: RichpanelAdmin.ActionView[] }) {
  const me = useSession().person?.principal ?? null;
  const facts = (change: RichpanelAdmin.ActionView) => (typeof change.facts === "object" ? ((change.facts ?? {}) as Facts) : {});
  return (
    <>
      <h3>{t("ops.changes")}</h3>
      <Table
        label={t("ops.changes")}
        rows={changes}
        keyOf={(change) => `${change.at}${change.action}`}
        empty={t("ops.changes.none")}
        columns={[
          { name: t("ops.at"), cell: (change) => <Time at={change.at} /> },
          { name: t("ops.who"), cell: (change) => <span title={facts(change).who}>{actor(facts(change).who ?? t("ops.unknown"), me)}</span> },
          { name: t("ops.name"), cell: (change) => facts(change).switch ?? change.action.split(":")[0] },
          {
            name: t("ops.changed"),
            cell: (change) =>
              "to" in facts(change) && <code>{`${JSON.stringify(facts(change).from)} → ${JSON.stringify(facts(change).to)}`}</code>,
          },
          { name: t("ops.result"), cell: (change) => change.result },
        ]}
      />
    </>
  );
}

function Change({ name, standing, onClose, onChanged }: {
  name: string;
  standing: RichpanelAdmin.StandingView;
  onClose: () => void;
  onChanged: () => Promise<void>;
}) {
  const { client } = useApp();
  const key = useRef(crypto.randomUUID());
  const isFlag = typeof standing.in_force === "boolean";
  const [text, setText] = useState(isFlag ? String(!standing.in_force) : (standing.text ?? ""));
  const [refused, setRefused] = useState<ApiError | null>(null);
  const put = (value: string, id: string) => client.call("PUT /admin/richpanel/switches", { body: { [name]: value }, key: id });
  const set = async () => {
    try {
      await put(text, key.current);
    } catch (failure) {
      setRefused(asApiError(failure));
      throw failure;
    }
  };
  const before = standing.text;
  const write = (next: string) => {
    setText(next);
    key.current = crypto.randomUUID();
  };
  return (
    <LiveChange
      title={t("ops.switch.title", { name })}
      button={t("ops.change")}
      from={inWords(standing.in_force)}
      to={text}
      effect={named("switch", name)}
      set={set}
      // A switch that was never set cannot be unset over the API.
      back={before == null ? null : () => put(before, crypto.randomUUID())}
      done={t("ops.switch.changed", { name })}
      onClose={onClose}
      onChanged={onChanged}
    >
      <p class="quiet">{t("ops.switch.affected")}</p>
      <Field label={t("ops.value")} name={name} error={refused}>
        {isFlag ? (
          <select value={text} onChange={(event) => write(event.currentTarget.value)}>
            <option>true</option>
            <option>false</option>
          </select>
        ) : (
          <textarea dir="auto" rows={4} value={text} onInput={(event) => write(event.currentTarget.value)} />
        )}
      </Field>
    </LiveChange>
  );
}

function inWords(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
