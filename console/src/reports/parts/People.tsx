// First answers and resolved conversations of people and teams, for supervisors.

import { useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { count, Section, Table } from "../../operations/sections";
import { actor } from "../../texts/format";
import { t } from "../../texts/texts";
import { time } from "./Conversations";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";
import { mean } from "../series";

const WORK = [
  ["report.first_answers", "firstAnswers"],
  ["report.resolved", "resolved"],
] as const;

export function People({ asked: { from, to, context, group } }: PartProps) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const report = useResource(
    async (signal) => (await client.call("GET /reports/people", { query: { from, to, context, group }, signal })).result,
    [client, from, to, context, group],
  );
  const nameOf = (assignee: string) => actor(assignee, me);
  return (
    <Section title={t("report.part.people")} about={t("report.people.about")} resource={report}>
      {(found) => (
        <>
          {!found.complete && <p class="quiet">{t("report.people.more")}</p>}
          {WORK.map(([text, name]) => (
            <Plot
              key={name}
              title={t(text)}
              first={t("report.person")}
              series={[t("report.count")]}
              lines={found.people.map((one) => ({ key: one.assignee, name: nameOf(one.assignee), values: [one[name]] }))}
            />
          ))}
          <Table
            label={t("report.durations")}
            rows={found.people.filter((one) => one.firstAnswers > 0)}
            keyOf={(one) => one.assignee}
            empty={t("report.nothing")}
            columns={[
              { name: t("report.person"), cell: (one) => <b>{nameOf(one.assignee)}</b> },
              { name: t("report.first_answers"), isNumber: true, cell: (one) => count(one.firstAnswers) },
              { name: t("report.mean_business"), isNumber: true, cell: (one) => time(mean(one.businessSeconds, one.firstAnswers)) },
              { name: t("report.mean"), isNumber: true, cell: (one) => time(mean(one.seconds, one.firstAnswers)) },
            ]}
          />
        </>
      )}
    </Section>
  );
}
