// The numbers of a report as a file of the API.

import type { Routes } from "../api/routes";
import { useAction } from "../api/resource";
import { useApp } from "../app";
import { t } from "../texts/texts";
import { Button, ErrorNotice } from "../ui/controls";
import { saveCsv } from "./csv";

export type CsvRoute = "GET /reports/conversations" | "GET /reports/people" | "GET /reports/backlog" | "GET /reports/outcomes";

export function Download<R extends CsvRoute>({ route, query, name }: { route: R; query: Omit<Routes[R]["query"], "format">; name: string }) {
  const { client } = useApp();
  const save = useAction(async () => saveCsv(name, await client.text(route, { query: { ...query, format: "csv" } as Routes[R]["query"] })));
  return (
    <>
      <Button icon="down" busy={save.busy} onClick={() => void save.run()}>
        {t("report.csv")}
      </Button>
      {save.error && <ErrorNotice error={save.error} />}
    </>
  );
}
