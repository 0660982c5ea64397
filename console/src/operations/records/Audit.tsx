// The audit log: what people and software changed, by days and author, and as a file.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { usePeople } from "../../people/people";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, MoreButton } from "../../ui/controls";
import { Section, Table, Time } from "../sections";
import { csvOf, lastDay } from "./csv";

const ACTORS = ["people", "keys", "all"] as const;
type Actors = (typeof ACTORS)[number];
type Change = ConsoleOperations.ActionView;

const MOST_DAYS = 31;
const A_FILE = { pages: 20, rows: 500 }; // the most rows of a page of the API
const COLUMNS = ["at", "principal", "context", "change", "object", "outcome", "status", "correlationId"] as const;

export function Audit() {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const people = usePeople();
  const today = new Date().toISOString().slice(0, 10);
  const [first, setFirst] = useState(today);
  const [last, setLast] = useState(today);
  const [actors, setActors] = useState<Actors>("people");
  const [principal, setPrincipal] = useState("");
  const [isShort, setIsShort] = useState(false);
  const asked = { from: first, to: last, actors, principal: principal || null };
  const page = async (cursor: string | null, limit: number, signal?: AbortSignal) => {
    const answer = await client.call("GET /operations/actions", { query: { ...asked, limit, cursor }, ...(signal && { signal }) });
    return { items: answer.result.actions, cursor: answer.cursor };
  };
  const changes = usePageList((cursor, signal) => page(cursor, 100, signal), [client, JSON.stringify(asked)]);
  const download = useAction(async () => {
    const rows: Change[] = [];
    let cursor: string | null = null;
    let pages = 0;
    do {
      const found: { items: Change[]; cursor: string | null } = await page(cursor, A_FILE.rows);
      rows.push(...found.items);
      cursor = found.cursor;
    } while (cursor !== null && ++pages < A_FILE.pages);
    setIsShort(cursor !== null);
    save(`changes-${first}-${last}.csv`, csvOf([COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))]));
  });
  const choose = (from: string, to: string) => {
    if (!from || !to) return;
    setFirst(from);
    setLast(lastDay(from, to, MOST_DAYS));
  };
  const tools = (
    <>
      <label class="ops-filter">
        <span class="field-label">{t("ops.audit.from")}</span>
        <input type="date" value={first} max={today} onChange={(event) => choose(event.currentTarget.value, last)} />
      </label>
      <label class="ops-filter">
        <span class="field-label">{t("ops.audit.to")}</span>
        <input type="date" value={last} min={first} max={today} onChange={(event) => choose(first, event.currentTarget.value)} />
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
      {people && actors !== "keys" && (
        <label class="ops-filter">
          <span class="field-label">{t("ops.audit.person")}</span>
          <select value={principal} onChange={(event) => setPrincipal(event.currentTarget.value)}>
            <option value="">{t("ops.audit.everyone")}</option>
            {people.people.map((one) => (
              <option key={one.principal} value={one.principal}>
                {actor(one.principal, me)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Button busy={download.busy} onClick={() => void download.run()}>
        {t("ops.audit.file")}
      </Button>
    </>
  );
  return (
    <Section title={t("ops.part.audit")} about={t("ops.audit.about")} resource={changes.first} tools={tools}>
      {() => (
        <>
          {download.error && <ErrorNotice error={download.error} onRetry={() => void download.run()} />}
          <p role="status">{isShort && t("ops.audit.cut", { count: A_FILE.pages * A_FILE.rows })}</p>
          <Table
            label={t("ops.part.audit")}
            rows={changes.items}
            keyOf={(row) => `${row.at}${row.correlationId}`}
            empty={t(changes.hasMore ? "ops.audit.short" : "ops.audit.none")}
            columns={[
              { name: t("ops.at"), cell: (row) => <Time at={row.at} /> },
              { name: t("ops.who"), cell: (row) => <span title={row.principal}>{actor(row.principal, me)}</span> },
              { name: t("ops.context"), cell: (row) => named("context", row.context) },
              { name: t("ops.changed"), cell: (row) => <b>{row.change.replaceAll("_", " ")}</b> },
              { name: t("ops.outcome"), cell: (row) => <Badge kind={row.outcome === "made" ? "plain" : "warn"}>{named("change_outcome", row.outcome)}</Badge> },
              { name: t("ops.id"), cell: (row) => <code>{row.object ?? row.correlationId}</code> },
            ]}
          />
          <MoreButton isOffered={changes.hasMore} next={changes.next} />
        </>
      )}
    </Section>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
