// The audit log: what people and software changed.

import { useState } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { actor } from "../format";
import { named, t } from "../texts/texts";
import type { Rights } from "./access";
import { Section, Table, Time } from "./parts";

const ACTORS = ["people", "keys", "all"] as const;
type Actors = (typeof ACTORS)[number];

export function Audit({ rights }: { rights: Rights }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const today = new Date().toISOString().slice(0, 10);
  const [day, setDay] = useState(today);
  const [actors, setActors] = useState<Actors>("people");
  const log = useResource(
    async (signal) => (await client.call("GET /operations/actions", { query: { from: day, to: day, actors, limit: 500 }, signal })).result,
    [client, day, actors],
  );
  const tools = (
    <>
      <label class="ops-filter">
        <span class="field-label">{t("ops.day")}</span>
        <input type="date" value={day} max={today} onChange={(event) => event.currentTarget.value && setDay(event.currentTarget.value)} />
      </label>
      <label class="ops-filter">
        <span class="field-label">{t("ops.who")}</span>
        <select value={actors} onChange={(event) => setActors(event.currentTarget.value as Actors)}>
          {ACTORS.map((one) => (
            <option key={one} value={one}>
              {t(`ops.actors.${one}`)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
  return (
    <Section title={t("ops.part.audit")} about={t("ops.audit.about")} resource={log} tools={tools}>
      {(found) => (
        <>
          {!found.isComplete && <p class="notice notice-warn">{t("ops.audit.incomplete")}</p>}
          <Table
            label={t("ops.part.audit")}
            rows={found.actions}
            keyOf={(row) => `${row.at}${row.principal}${row.change}${row.conversation ?? ""}`}
            empty={t("ops.audit.none")}
            columns={[
              { name: t("ops.at"), cell: (row) => <Time at={row.at} /> },
              { name: t("ops.who"), cell: (row) => <span title={row.principal}>{actor(row.principal, me)}</span> },
              ...(rights.operator ? [{ name: t("account.company"), cell: (row: { company: string }) => row.company }] : []),
              { name: t("ops.context"), cell: (row) => named("context", row.context) },
              { name: t("ops.changed"), cell: (row) => <b>{row.change.replaceAll("_", " ")}</b> },
              { name: t("ops.id"), cell: (row) => <code>{row.conversation ?? row.correlationId ?? ""}</code> },
            ]}
          />
        </>
      )}
    </Section>
  );
}
