// The audit log: what people and software changed.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button } from "../../ui/controls";
import { Section, Table, Time } from "../sections";

const ACTORS = ["people", "keys", "all"] as const;
type Actors = (typeof ACTORS)[number];
type Change = ConsoleOperations.ActionView;

export function Audit() {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const today = new Date().toISOString().slice(0, 10);
  const [day, setDay] = useState(today);
  const [actors, setActors] = useState<Actors>("people");
  const [more, setMore] = useState<{ rows: Change[]; cursor: string | null } | null>(null);
  const query = { from: day, to: day, actors, limit: 100 };
  const log = useResource(
    async (signal) => {
      setMore(null);
      const answer = await client.call("GET /operations/actions", { query, signal });
      return { rows: answer.result.actions, cursor: answer.cursor };
    },
    [client, day, actors],
  );
  const cursor = more ? more.cursor : (log.value?.cursor ?? null);
  const next = useAction(async () => {
    const answer = await client.call("GET /operations/actions", { query: { ...query, cursor } });
    setMore({ rows: [...(more?.rows ?? []), ...answer.result.actions], cursor: answer.cursor });
  });
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
          <Table
            label={t("ops.part.audit")}
            rows={[...found.rows, ...(more?.rows ?? [])]}
            keyOf={(row) => `${row.at}${row.correlationId}`}
            empty={t(cursor ? "ops.audit.short" : "ops.audit.none")}
            columns={[
              { name: t("ops.at"), cell: (row) => <Time at={row.at} /> },
              { name: t("ops.who"), cell: (row) => <span title={row.principal}>{actor(row.principal, me)}</span> },
              { name: t("ops.context"), cell: (row) => named("context", row.context) },
              { name: t("ops.changed"), cell: (row) => <b>{row.change.replaceAll("_", " ")}</b> },
              { name: t("ops.outcome"), cell: (row) => <Badge kind={row.outcome === "made" ? "plain" : "warn"}>{named("change_outcome", row.outcome)}</Badge> },
              { name: t("ops.id"), cell: (row) => <code>{row.object ?? row.correlationId}</code> },
            ]}
          />
          {cursor && (
            <Button busy={next.busy} onClick={() => void next.run()}>
              {t("inbox.more")}
            </Button>
          )}
        </>
      )}
    </Section>
  );
}
