// What came of the answers of a project's model: ends, hand-offs and ratings by version, channel, language or day.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import type { ConversationsAdmin } from "../../api/routes";
import { count, Section } from "../../operations/sections";
import { changeQuery } from "../../shell/router";
import { locale, named, t } from "../../texts/texts";
import { Field } from "../../ui/controls";
import { Figures } from "../parts/Conversations";
import { Download } from "../Download";
import { causesOf, COMPARED, ENDS, linesOf, meanScore, SCORES, shareAlone, sumsOf, valuesOf, type Compared, type Outcome } from "./outcomes";
import { Plot } from "../Plot";
import { queryOf, type Asked } from "../query";
import type { PartProps } from "../Reports";

export function Outcomes({ asked }: PartProps) {
  const { client } = useApp();
  const projects = useResource(async (signal) => (await client.call("GET /projects", { query: { limit: 100 }, signal })).result.projects, [client]);
  return (
    <Section title={t("report.part.outcomes")} about={t("report.outcomes.about")} resource={projects}>
      {(found) => {
        const project = found.find((one) => one.project_id === asked.project) ?? found[0];
        return project ? <OfProject key={project.project_id} asked={asked} projects={found} project={project} /> : <p class="ops-empty">{t("report.no_projects")}</p>;
      }}
    </Section>
  );
}

type Project = ConversationsAdmin.ProjectView;

function OfProject({ asked, projects, project }: PartProps & { projects: Project[]; project: Project }) {
  const { client } = useApp();
  const { from, to, channel } = asked;
  const query = { project: project.project_id, from, to, channel };
  const report = useResource(
    async (signal) => (await client.call("GET /reports/outcomes", { query, signal })).result.outcomes,
    [client, project.project_id, from, to, channel],
  );
  const write = (change: Partial<Asked>) => changeQuery(queryOf({ ...asked, ...change }), true);
  const all = report.value ?? [];
  return (
    <>
      <div class="report-filters">
        <Chosen text={t("report.project")} values={projects.map((one) => one.project_id)} nameOf={(id) => projects.find((one) => one.project_id === id)?.name ?? id} value={project.project_id} onChange={(one) => write({ project: one, version: null, language: null })} />
        <Chosen text={t("report.version")} every={t("report.every_version")} values={valuesOf(all, "version")} nameOf={nameOf("version")} value={asked.version} onChange={(version) => write({ version })} />
        <Chosen text={t("report.language")} every={t("report.every_language")} values={valuesOf(all, "language")} nameOf={nameOf("language")} value={asked.language} onChange={(language) => write({ language })} />
        <Chosen text={t("report.compare")} values={[...COMPARED]} nameOf={(one) => t(`report.by.${one as Compared}`)} value={asked.by ?? "version"} onChange={(by) => write({ by: COMPARED.find((one) => one === by) ?? null })} />
        <Download route="GET /reports/outcomes" query={{ ...query, version: asked.version === null ? null : Number(asked.version), language: asked.language }} name={`outcomes-${project.project_id}-${from}-${to}`} />
      </div>
      <Section title={project.name ?? project.project_id} resource={report}>
        {(found) => <Plots found={found.filter(isChosen(asked))} by={asked.by ?? "version"} />}
      </Section>
    </>
  );
}

function isChosen({ version, language }: Asked): (one: Outcome) => boolean {
  return (one) => (version === null || String(one.version) === version) && (language === null || one.language === language);
}

function Plots({ found, by }: { found: Outcome[]; by: Compared }) {
  const sums = sumsOf(found);
  const share = shareAlone(sums);
  const mean = meanScore(sums);
  const first = t(`report.by.${by}`);
  return (
    <>
      <Figures
        values={[
          ["report.ended_alone", share === null ? count(0) : `${count(sums.ends[0])} (${share.toLocaleString(locale, { style: "percent" })})`],
          ["report.handed_off", count(sums.handedOff)],
          ["report.reopened_soon", count(sums.reopenedSoon)],
          ["report.rated_up", count(sums.ratedUp)],
          ["report.rated_down", count(sums.ratedDown)],
        ]}
      />
      <Plot title={t("report.outcomes")} first={first} series={ENDS.map((one) => t(ENDED[one]))} lines={linesOf(found, by, nameOf(by), ({ ends }) => ends)} />
      <Plot title={t("report.handed_off_reopened")} first={first} series={[t("report.handed_off"), t("report.reopened_soon")]} lines={linesOf(found, by, nameOf(by), (one) => [one.handedOff, one.reopenedSoon])} />
      <Plot title={t("report.ratings")} about={t("report.ratings.about")} first={first} series={[t("report.rated_up"), t("report.rated_down")]} lines={linesOf(found, by, nameOf(by), (one) => [one.ratedUp, one.ratedDown])} />
      <Plot
        title={t("report.satisfaction")}
        about={mean === null ? t("report.asked", { count: sums.asked }) : `${t("report.asked", { count: sums.asked })}. ${t("report.mean_score", { score: mean.toLocaleString(locale, { maximumFractionDigits: 1 }) })}`}
        first={first}
        series={SCORES.map((number) => t("report.star", { number }))}
        lines={linesOf(found, by, nameOf(by), ({ scores }) => scores)}
      />
      <Plot title={t("report.handed_off_for")} first={t("report.cause")} series={[t("report.count")]} lines={causesOf(found, "handedOff").map(([cause, n]) => ({ key: cause, name: named("reason", cause), values: [n] }))} />
      <Plot title={t("report.rated_down_for")} first={t("report.cause")} series={[t("report.count")]} lines={causesOf(found, "ratedDown").map(([cause, n]) => ({ key: cause, name: named("rating.reason", cause), values: [n] }))} />
    </>
  );
}

const ENDED = { endedAlone: "report.ended_alone", endedWithPeople: "report.ended_with_people", optedOut: "report.opted_out", failed: "report.failed" } as const;

function nameOf(by: Compared): (value: string) => string {
  if (by === "channel") return (value) => named("channel", value);
  if (by === "language") return (value) => (value === "und" ? t("report.unknown") : (new Intl.DisplayNames(locale, { type: "language" }).of(value) ?? value));
  if (by === "version") return (value) => (value === "0" ? t("report.unknown") : t("report.version_number", { number: value }));
  return (value) => value;
}

function Chosen({ text, every, values, nameOf: name, value, onChange }: {
  text: string;
  every?: string;
  values: string[];
  nameOf: (value: string) => string;
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  // A chosen value of another range stays chosen.
  const offered = value === null || values.includes(value) ? values : [...values, value];
  return (
    <Field label={text} name={text}>
      <select value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || null)}>
        {every && <option value="">{every}</option>}
        {offered.map((one) => (
          <option key={one} value={one}>
            {name(one)}
          </option>
        ))}
      </select>
    </Field>
  );
}
