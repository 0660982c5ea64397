// Conversations that are open now, by age.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { classesOf, named } from "./Conversations";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";
import { partOf } from "../series";

const DAY_SECONDS = 86_400;

export function Backlog({ asked: { context, channel } }: PartProps) {
  const { client } = useApp();
  const report = useResource(
    async (signal) => (await client.call("GET /reports/backlog", { query: { context, channel }, signal })).result,
    [client, context, channel],
  );
  return (
    <Section title={t("report.part.backlog")} about={t("report.backlog.about")} resource={report}>
      {(found) => {
        const names = classesOf(found.bounds, (bound) => t("report.days", { days: bound / DAY_SECONDS }));
        const series = found.backlog.map((one) => named(partOf(one)));
        return (
          <>
            {!found.complete && <p class="quiet">{t("report.backlog.more")}</p>}
            <Plot title={t("report.open")} first={t("report.age")} series={series} lines={names.map((name, at) => ({ name, values: found.backlog.map((one) => one.byAge[at] ?? 0) }))} />
            <Plot title={t("report.waiting")} first={t("report.wait")} series={series} lines={names.map((name, at) => ({ name, values: found.backlog.map((one) => one.byWait[at] ?? 0) }))} />
          </>
        );
      }}
    </Section>
  );
}
