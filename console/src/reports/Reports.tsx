// Reports of the company: one part at a time, by place (#/reports/volume?from=...). Its texts come with the page.

import { useState } from "preact/hooks";
import { useApp, useSession } from "../app";
import { partsFor, rightsOf, type Rights } from "../operations/access";
import { usePeople } from "../session/people";
import { changeQuery, placeOf, useQuery, withQuery } from "../shell/router";
import { t, type Key } from "../texts/texts";
import { Empty } from "../ui/controls";
import { Assistant, Times, Volume } from "./parts/Conversations";
import { Backlog } from "./parts/Backlog";
import { Campaigns } from "./parts/Campaigns";
import { Download, type CsvRoute } from "./Download";
import { Hours } from "./parts/Hours";
import { Mail } from "./parts/Mail";
import { Newsletters } from "./parts/Newsletters";
import { People } from "./parts/People";
import { Outcomes } from "./outcomes/Outcomes";
import { askedOf, before, CHANNELS, CONTEXTS, queryOf, RANGES, todayOf, type Asked } from "./query";
import "./reports.css";

export interface PartProps {
  asked: Asked;
}

interface Part {
  name: string;
  text: Key;
  csv: CsvRoute | null;
  filters: ("range" | "context" | "channel" | "group")[];
  needs: (rights: Rights) => boolean;
  content: (props: PartProps) => preact.JSX.Element;
}

const OF_DAYS: Part["filters"] = ["range", "context", "channel"];
const PARTS: Part[] = [
  { name: "volume", text: "report.part.volume", csv: "GET /reports/conversations", filters: OF_DAYS, needs: () => true, content: Volume },
  { name: "times", text: "report.part.times", csv: "GET /reports/conversations", filters: OF_DAYS, needs: () => true, content: Times },
  { name: "backlog", text: "report.part.backlog", csv: "GET /reports/backlog", filters: ["context", "channel"], needs: () => true, content: Backlog },
  { name: "assistant", text: "report.part.assistant", csv: "GET /reports/conversations", filters: ["range", "channel"], needs: () => true, content: Assistant },
  { name: "outcomes", text: "report.part.outcomes", csv: null, filters: ["range", "channel"], needs: ({ admin }) => admin, content: Outcomes },
  { name: "people", text: "report.part.people", csv: "GET /reports/people", filters: ["range", "context", "group"], needs: ({ approves }) => approves, content: People },
  { name: "campaigns", text: "report.part.campaigns", csv: null, filters: ["range"], needs: ({ approves }) => approves, content: Campaigns },
  { name: "newsletters", text: "report.part.newsletters", csv: null, filters: ["range"], needs: () => true, content: Newsletters },
  { name: "mail", text: "report.part.mail", csv: null, filters: ["range"], needs: ({ approves }) => approves, content: Mail },
  { name: "hours", text: "report.part.hours", csv: null, filters: [], needs: ({ admin }) => admin, content: Hours },
];

export function Reports({ part }: { part: string | null }) {
  const rights = rightsOf(useSession());
  const query = useQuery();
  const [today] = useState(() => todayOf(new Date()));
  const asked = askedOf(query, today);
  // Another login provider lists no people.
  const areListed = useApp().config.login?.provider === "cognito";
  const parts = PARTS.filter(({ name, needs }) => needs(rights) && (areListed || name !== "people"));
  const shown = part === null ? parts[0] : parts.find(({ name }) => name === part);
  if (!shown) {
    return (
      <main class="pane pane-empty">
        <Empty icon="info" title={t("report.no_access")} />
      </main>
    );
  }
  const Content = shown.content;
  return (
    <main class="pane ops report-pane" aria-label={t("nav.reports")}>
      <h1 class="unseen">{t("nav.reports")}</h1>
      <nav class="tabs ops-tabs" aria-label={t("report.parts")}>
        {parts.map(({ name, text }) => (
          <a key={name} class="tab" href={withQuery(placeOf("reports", name), query)} aria-current={name === shown.name ? "page" : undefined}>
            {t(text)}
          </a>
        ))}
        {partsFor(rights).includes("cost") && (
          <a class="tab" href={placeOf("operations", "cost")}>
            {t("report.part.cost")}
          </a>
        )}
      </nav>
      {shown.filters.length > 0 && <Filters part={shown} asked={asked} today={today} />}
      <div class="ops-body" key={shown.name}>
        <Content asked={asked} />
      </div>
    </main>
  );
}

function Filters({ part, asked, today }: { part: Part; asked: Asked; today: string }) {
  const people = usePeople();
  const write = (change: Partial<Asked>) => changeQuery(queryOf({ ...asked, ...change }), true);
  const has = (name: Part["filters"][number]) => part.filters.includes(name);
  const range = RANGES.find((days) => asked.to === today && asked.from === before(today, days - 1));
  return (
    <div class="report-filters" role="group" aria-label={t("report.filters")}>
      {has("range") && (
        <>
          <label>
            <span class="field-label">{t("report.range")}</span>
            <select value={range ?? ""} onChange={(event) => event.currentTarget.value && write({ from: before(today, Number(event.currentTarget.value) - 1), to: today })}>
              <option value="">{t("report.range.own")}</option>
              {RANGES.map((days) => (
                <option key={days} value={days}>
                  {t("report.range.days", { days })}
                </option>
              ))}
            </select>
          </label>
          <DateField text="report.from" value={asked.from} onChange={(from) => write({ from })} />
          <DateField text="report.to" value={asked.to} onChange={(to) => write({ to })} />
        </>
      )}
      {has("context") && <Choice text="report.context" every="report.every_context" prefix="context" values={CONTEXTS} value={asked.context} onChange={(context) => write({ context })} />}
      {has("channel") && <Choice text="report.channel" every="report.every_channel" prefix="channel" values={CHANNELS} value={asked.channel} onChange={(channel) => write({ channel })} />}
      {has("group") && (
        <label>
          <span class="field-label">{t("report.group")}</span>
          <select value={asked.group ?? ""} onChange={(event) => write({ group: event.currentTarget.value || null })}>
            <option value="">{t("report.every_group")}</option>
            {(people?.teams ?? []).map((team) => (
              <option key={team}>{team}</option>
            ))}
          </select>
        </label>
      )}
      {part.csv && <Download route={part.csv} query={queryFor(part, asked)} name={`${part.name}-${asked.from}-${asked.to}`} />}
    </div>
  );
}

function DateField({ text, value, onChange }: { text: Key; value: string; onChange: (value: string) => void }) {
  return (
    <label>
      <span class="field-label">{t(text)}</span>
      <input type="date" value={value} onChange={(event) => event.currentTarget.value && onChange(event.currentTarget.value)} />
    </label>
  );
}

function Choice<Value extends string>({ text, every, prefix, values, value, onChange }: {
  text: Key;
  every: Key;
  prefix: "context" | "channel";
  values: readonly Value[];
  value: Value | null;
  onChange: (value: Value | null) => void;
}) {
  return (
    <label>
      <span class="field-label">{t(text)}</span>
      <select value={value ?? ""} onChange={(event) => onChange(values.find((one) => one === event.currentTarget.value) ?? null)}>
        <option value="">{t(every)}</option>
        {values.map((one) => (
          <option key={one} value={one}>
            {t(`${prefix}.${one}` as Key)}
          </option>
        ))}
      </select>
    </label>
  );
}

function queryFor({ filters, name }: Part, { from, to, context, channel, group }: Asked) {
  return {
    ...(filters.includes("range") && { from, to }),
    context: name === "assistant" ? ("conversations" as const) : filters.includes("context") ? context : null,
    channel: filters.includes("channel") ? channel : null,
    ...(filters.includes("group") && { group }),
  };
}
