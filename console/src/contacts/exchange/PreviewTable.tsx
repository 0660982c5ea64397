// The first rows of a file, and what each would do.

import { Table } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Badge } from "../../ui/controls";
import type { Preview } from "./source";

export function PreviewTable({ preview }: { preview: Preview }) {
  return (
    <Table
      label={t("exchange.preview")}
      rows={preview.rows}
      keyOf={({ line }) => String(line)}
      empty={t("exchange.preview.none")}
      columns={[
        { name: t("exchange.line"), isNumber: true, cell: ({ line }) => line },
        {
          name: t("exchange.outcome"),
          cell: ({ outcome, column, rule }) => (
            <>
              <Badge kind={outcome === "refused" ? "warn" : "plain"}>{named("exchange.would", outcome)}</Badge>
              {rule && <p class="quiet">{placed(column, rule)}</p>}
            </>
          ),
        },
        ...preview.columns.map(({ name }, place) => ({ name, cell: ({ cells }: Preview["rows"][number]) => cells?.[place] ?? "" })),
      ]}
    />
  );
}

// A rule with the column that breaks it.
export function placed(column: number | null | undefined, rule: string): string {
  return column ? t("exchange.rule", { column, rule }) : rule;
}
