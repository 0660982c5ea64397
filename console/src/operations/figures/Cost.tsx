// The estimated cost of a month.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { moment } from "../../texts/format";
import { locale, t } from "../../texts/texts";
import { Badge } from "../../ui/controls";
import { count, Section, Table } from "../sections";

function dollars(value: number | null | undefined): string {
  if (value === null || value === undefined) return t("ops.cost.unmeasured");
  const digits = value !== 0 && value < 1 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return value.toLocaleString(locale, { style: "currency", currency: "USD", ...digits });
}

export function Cost() {
  const { client } = useApp();
  const newest = new Date().toISOString().slice(0, 7);
  const [month, setMonth] = useState(newest);
  const cost = useResource(
    async (signal) => (await client.call("GET /operations/cost", { query: { month }, signal })).result,
    [client, month],
  );
  const tools = (
    <label class="ops-filter">
      <span class="field-label">{t("ops.month")}</span>
      <input type="month" value={month} max={newest} onChange={(event) => event.currentTarget.value && setMonth(event.currentTarget.value)} />
    </label>
  );
  return (
    <Section title={t("ops.part.cost")} about={t("ops.cost.about")} resource={cost} tools={tools}>
      {(found) => (
        <>
          <dl class="ops-figures">
            <Figure label={t("ops.cost.sum", { until: moment(found.until) })} value={dollars(found.dollars)} />
            <Figure label={found.conversations == null ? t("ops.cost.per_conversation") : t("ops.cost.conversation", { count: count(found.conversations) })} value={dollars(found.dollarsPerConversation)} />
            <Figure label={found.events == null ? t("ops.cost.per_event") : t("ops.cost.event", { count: count(found.events) })} value={dollars(found.dollarsPerEvent)} />
          </dl>
          <Table
            label={t("ops.part.cost")}
            rows={found.lines}
            keyOf={(line) => line.part}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.cost.part"), cell: (line) => <b>{line.part}</b> },
              {
                name: t("ops.cost.quantity"),
                isNumber: true,
                cell: (line) =>
                  typeof line.quantity === "number" ? `${Math.round(line.quantity).toLocaleString(locale)} ${line.unit}` : t("ops.cost.unmeasured"),
              },
              { name: t("ops.cost.price"), isNumber: true, cell: (line) => dollars(line.dollarsPerMillion) },
              {
                name: t("ops.cost.dollars"),
                isNumber: true,
                cell: (line) => (
                  <>
                    {line.isUpperBound && typeof line.dollars === "number" && <Badge>{t("ops.cost.at_most")}</Badge>} {dollars(line.dollars)}
                  </>
                ),
              },
            ]}
          />
          <p class="quiet">{t("ops.cost.without", { list: found.notIncluded.join(", ") })}</p>
        </>
      )}
    </Section>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div class="ops-figure">
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  );
}
