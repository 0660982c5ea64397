// Openings, first answers, resolutions and outcomes of conversations.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import type { ConsoleApi } from "../../api/routes";
import { count, Section } from "../../operations/sections";
import { span } from "../../texts/format";
import { t, type Key } from "../../texts/texts";
import { Messages } from "./Messages";
import { Plot } from "../Plot";
import { datesOf } from "../query";
import type { PartProps } from "../Reports";
import { byDay, byHour, mean, partsOf, together, total, type Day } from "../series";

type Report = ConsoleApi.ConversationReport;

function useReport({ from, to, context, channel }: PartProps["asked"]) {
  const { client } = useApp();
  return useResource(
    async (signal) => (await client.call("GET /reports/conversations", { query: { from, to, context, channel }, signal })).result,
    [client, from, to, context, channel],
  );
}

// The name of a context, with the channel where it has several.
export function named(part: string): string {
  const [context, channel] = part.split(" ");
  const name = t(`context.${context}` as Key);
  return channel ? `${name} (${t(`channel.${channel}` as Key)})` : name;
}

export function Volume({ asked }: PartProps) {
  const report = useReport(asked);
  return (
    <>
      <Section title={t("report.part.volume")} about={t("report.volume.about")} resource={report}>
        {(found) => {
          const parts = partsOf(found.days);
          const series = parts.map(named);
          return (
            <>
              <Figures
                values={[
                  ["report.opened", count(sum(found.days, "opened"))],
                  ["report.reopened", count(sum(found.days, "reopened"))],
                  ["report.resolved", count(total(found.days.map((day) => day.resolutions.count)))],
                  ["report.archived", count(sum(found.days, "archived"))],
                ]}
              />
              <Plot title={t("report.opened_by_day")} first={t("report.day")} series={series} lines={byDay(found.days, datesOf(found.first, found.last), parts, (day) => day.opened)} />
              <Plot title={t("report.opened_by_hour")} about={t("report.zone", { zone: found.timeZone })} first={t("report.hour")} series={series} lines={byHour(found.days, parts)} />
              <Plot title={t("report.resolved_by_day")} first={t("report.day")} series={series} lines={byDay(found.days, datesOf(found.first, found.last), parts, (day) => day.resolutions.count)} />
            </>
          );
        }}
      </Section>
      {asked.context !== "conversations" && asked.context !== "email_threads" && <Messages asked={asked} />}
    </>
  );
}

export function Times({ asked }: PartProps) {
  const report = useReport(asked);
  return (
    <Section title={t("report.part.times")} about={t("report.times.about")} resource={report}>
      {(found) => (
        <>
          <Distribution title={t("report.first_answers")} report={found} pick={(day) => day.firstAnswers} />
          <Distribution title={t("report.resolutions")} report={found} pick={(day) => day.resolutions} />
        </>
      )}
    </Section>
  );
}

function Distribution({ title, report, pick }: { title: string; report: Report; pick: (day: Day) => ConsoleApi.Durations }) {
  const all = together(report.days.map(pick));
  const names = classesOf(report.bounds, (bound) => span(bound * 1_000));
  return (
    <>
      <Figures
        values={[
          ["report.count", count(all.count)],
          ["report.mean_business", time(mean(all.businessSeconds, all.count))],
          ["report.mean", time(mean(all.seconds, all.count))],
        ]}
      />
      <Plot
        title={title}
        first={t("report.duration")}
        series={[t("report.in_business_hours")]}
        lines={names.map((name, at) => ({ name, values: [all.businessClasses[at] ?? 0] }))}
      />
      <Plot
        title={t("report.all_hours", { name: title })}
        first={t("report.duration")}
        series={[t("report.in_all_hours")]}
        lines={names.map((name, at) => ({ name, values: [all.classes[at] ?? 0] }))}
      />
    </>
  );
}

const OUTCOMES = [
  ["report.ended_alone", "endedAlone"],
  ["report.ended_with_people", "endedWithPeople"],
  ["report.opted_out", "optedOut"],
] as const;

export function Assistant({ asked }: PartProps) {
  const report = useReport({ ...asked, context: "conversations" });
  return (
    <Section title={t("report.part.assistant")} about={t("report.assistant.about")} resource={report}>
      {(found) => (
        <>
          <Figures
            values={[
              ["report.opened", count(sum(found.days, "opened"))],
              ["report.handed_off", count(sum(found.days, "handedOff"))],
              ["report.failed", count(sum(found.days, "failed"))],
            ]}
          />
          <Plot
            title={t("report.outcomes")}
            first={t("report.outcome")}
            series={[t("report.count")]}
            lines={OUTCOMES.map(([text, name]) => ({ name: t(text), values: [sum(found.days, name)] }))}
          />
          <Plot
            title={t("report.handed_off_by_day")}
            first={t("report.day")}
            series={partsOf(found.days).map(named)}
            lines={byDay(found.days, datesOf(found.first, found.last), partsOf(found.days), (day) => day.handedOff)}
          />
        </>
      )}
    </Section>
  );
}

export function Figures({ values }: { values: [Key, string][] }) {
  return (
    <dl class="ops-figures report-figures">
      {values.map(([text, value]) => (
        <div key={text} class="ops-figure">
          <dt>{t(text)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

// The names of classes with these upper bounds; the last one has none.
export function classesOf(bounds: number[], show: (bound: number) => string): string[] {
  const names = bounds.map((bound, at) => {
    const to = show(bound);
    return at ? t("report.between", { from: show(bounds[at - 1]!), to }) : t("report.up_to", { to });
  });
  return [...names, t("report.over", { from: show(bounds.at(-1)!) })];
}

export function time(seconds: number | null): string {
  return seconds === null ? t("ops.unknown") : span(seconds * 1_000);
}

function sum(days: Day[], name: "opened" | "reopened" | "archived" | "handedOff" | "endedAlone" | "endedWithPeople" | "optedOut" | "failed"): number {
  return total(days.map((day) => day[name]));
}
