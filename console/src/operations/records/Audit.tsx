// The audit log: what people and software changed, by days and author, and as a file.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { usePeople } from "../../session/people";
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
const COLUMNS = ["at", "principal", "context", "kind", "change", "object", "outcome", "status", "correlationId"] as const;
const UNREAD = "?"; // the API's sign of a value before a change that was not read

export function Audit() {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const people = usePeople();
  const today = new Date().toISOString().slice(0, 10);
  const [first, setFirst] = useState(today);
  const [last, setLast] = useState(today);
  const [actors, setActors] = useState<Actors>("people");
  const [principal, setPrincipal] = useState("");
  const [kind, setKind] = useState("");
  const [object, setObject] = useState("");
  const [isShort, setIsShort] = useState(false);
  const asked = { from: first, to: last, actors, principal: principal || null, kind: kind || null, object: object || null };
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
    save(`changes-${first}-${last}.csv`, csvOf([[...COLUMNS, "changes", "more", "basis"], ...rows.map((row) => [...COLUMNS.map((name) => row[name]), inWords(row), row.more, row.basis])]));
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
      <label class="ops-filter">
        <span class="field-label">{t("ops.audit.kind")}</span>
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="">{t("ops.audit.everyone")}</option>
          {kindsOf(changes.items, kind).map((one) => (
            <option key={one} value={one}>
              {readable(one)}
            </option>
          ))}
        </select>
      </label>
      <label class="ops-filter">
        <span class="field-label">{t("ops.audit.object")}</span>
        <input
          type="search"
          dir="ltr"
          pattern="[A-Za-z0-9._:=\-]{1,128}"
          value={object}
          onChange={(event) => event.currentTarget.checkValidity() && setObject(event.currentTarget.value)}
        />
      </label>
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
              {
                name: t("ops.changed"),
                cell: (row) => (
                  <>
                    <b>{readable(row.change)}</b> {row.kind && <span class="quiet">{readable(row.kind)}</span>}
                    <Fields row={row} />
                  </>
                ),
              },
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

// What a change has changed: field, before, after. The API masks the values.
function Fields({ row }: { row: Change }) {
  if (row.changes.length === 0) return null;
  return (
    <details open={row.changes.length <= 3}>
      <summary>{t("ops.audit.fields", { count: row.changes.length + row.more })}</summary>
      <dl class="ops-fields">
        {row.changes.map((one) => (
          <div key={one.field}>
            <dt>
              <code>{one.field}</code>
            </dt>
            <dd>
              <bdi>{row.basis === "asked" || one.before === UNREAD ? t("ops.audit.not_read") : said(one.before)}</bdi> → <bdi>{said(one.after)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {row.more > 0 && <p class="quiet">{t("ops.audit.more", { count: row.more })}</p>}
    </details>
  );
}

function said(value: string | null | undefined): string {
  if (value == null) return t("ops.audit.nothing");
  const counted = /^([0-9]+) (characters|entries)$/.exec(value);
  if (counted) return t(`ops.audit.${counted[2] as "characters" | "entries"}`, { count: Number(counted[1]) });
  return value === "set" ? t("ops.audit.secret") : value;
}

function inWords(row: Change): string {
  return row.changes.map((one) => `${one.field}: ${one.before ?? ""} -> ${one.after ?? ""}`).join("; ");
}

function readable(name: string): string {
  return name.replaceAll(/[_-]/g, " ");
}

function kindsOf(rows: Change[], chosen: string): string[] {
  return [...new Set([...rows.flatMap((row) => row.kind ?? []), ...(chosen ? [chosen] : [])])].sort();
}

function save(name: string, text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
