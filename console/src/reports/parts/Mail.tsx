// Service levels and satisfaction of all mailboxes together, from the counts of each.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Plot } from "../Plot";
import type { PartProps } from "../Reports";
import { before } from "../query";
import { total } from "../series";

const MOST_DAYS = 92; // of the API
const SCORES = ["score_5", "score_4", "score_3", "score_2", "score_1"] as const;
const TARGETS = [
  ["report.first_answers", "first_response_met", "first_response_breached"],
  ["report.resolutions", "resolution_met", "resolution_breached"],
] as const;

export function Mail({ asked }: PartProps) {
  const { client } = useApp();
  const from = asked.from < before(asked.to, MOST_DAYS - 1) ? before(asked.to, MOST_DAYS - 1) : asked.from;
  const report = useResource(
    async (signal) => {
      const { mailboxes } = (await client.call("GET /email-mailboxes", { signal })).result;
      const answers = await Promise.all(
        mailboxes.map(({ address }) => client.call("GET /email-mailboxes/{address}/service-levels", { path: { address }, query: { from, to: asked.to }, signal })),
      );
      return answers.flatMap(({ result }) => result.days);
    },
    [client, from, asked.to],
  );
  return (
    <Section title={t("report.part.mail")} about={t("report.mail.about", { days: MOST_DAYS })} resource={report}>
      {(days) => (
        <>
          <Plot
            title={t("report.targets")}
            first={t("report.target")}
            series={[t("report.met"), t("report.breached")]}
            lines={TARGETS.map(([text, ...names]) => ({ name: t(text), values: names.map((name) => total(days.map((day) => day[name]))) }))}
          />
          <Plot
            title={t("report.satisfaction")}
            about={t("report.asked", { count: total(days.map((day) => day.questions_asked)) })}
            first={t("report.stars")}
            series={[t("report.answers")]}
            lines={SCORES.map((name) => ({ name: t("report.star", { number: name.slice(-1) }), values: [total(days.map((day) => day[name]))] }))}
          />
        </>
      )}
    </Section>
  );
}
