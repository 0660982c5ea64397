// Results of the issues of newsletters that began in the range, of the newest ones.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";

const MOST = 20;

export function Newsletters({ asked: { from, to } }: PartProps) {
  const { client } = useApp();
  const found = useResource(
    async (signal) => {
      const { issues } = (await client.call("GET /newsletters/issues", { query: { limit: MOST }, signal })).result;
      // Days of UTC, as the API has them.
      const begun = issues.filter(({ started_at }) => started_at && started_at.slice(0, 10) >= from && started_at.slice(0, 10) <= to);
      return Promise.all(
        begun.map(async ({ issue_id, subject }) => ({
          key: issue_id,
          name: subject,
          stats: (await client.call("GET /newsletters/issues/{issue_id}/stats", { path: { issue_id }, signal })).result,
        })),
      );
    },
    [client, from, to],
  );
  return (
    <Section title={t("report.part.newsletters")} about={t("report.newsletters.about", { count: MOST })} resource={found}>
      {(issues) => (
        <>
          <Plot
            title={t("report.newsletters.sent")}
            first={t("report.issue")}
            series={[t("report.newsletters.delivered"), t("report.campaigns.sent")]}
            lines={issues.map(({ key, name, stats }) => ({ key, name, values: [stats.delivered, Math.max(0, stats.sent - stats.delivered)] }))}
          />
          <Plot
            title={t("report.newsletters.answers")}
            first={t("report.issue")}
            series={[t("report.newsletters.bounced"), t("report.newsletters.complained"), t("report.newsletters.unsubscribed")]}
            lines={issues.map(({ key, name, stats }) => ({ key, name, values: [stats.bounced, stats.complained, stats.unsubscribed] }))}
          />
          <Plot
            title={t("report.campaigns.left_out")}
            first={t("report.issue")}
            series={[t("report.newsletters.waiting"), t("report.newsletters.skipped"), t("report.campaigns.failed"), t("report.campaigns.in_doubt")]}
            lines={issues.map(({ key, name, stats }) => ({ key, name, values: [stats.waiting, stats.skipped, stats.failed, stats.unknown] }))}
          />
        </>
      )}
    </Section>
  );
}
