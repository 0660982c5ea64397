// A version on trial beside the live one: begun after the person has read who is affected, watched, and stopped.

import { useRef, useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { t, type Key } from "../../texts/texts";
import { Badge, Button, Choices, Field } from "../../ui/controls";
import { Confirm, count, Section, Table, Time } from "../sections";
import { ShadowAnswers } from "./ShadowAnswers";
import { begunOf, EMPTY, percentOf, type Entered, type Mode } from "./trial";

type Project = ConversationsAdmin.ProjectView;
type Trial = ConversationsAdmin.TrialView;
type Outcomes = ConversationsAdmin.TrialOutcomesView;
type Arm = ConversationsAdmin.ArmView;

export function Trials({ project, version, live, onChange }: { project: Project; version: number; live: number | null; onChange: () => void }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [opened, setOpened] = useState<string | null>(null);
  const [begins, setBegins] = useState(false);
  const path = { project_id: project.project_id };
  const trials = useResource(async (signal) => (await client.call("GET /projects/{project_id}/trials", { path, signal })).result.trials, [client, project.project_id]);
  const running = trials.value?.find((one) => one.running);
  const shown = opened ?? running?.trial_id ?? null;
  const changed = () => {
    void trials.reload();
    onChange();
  };
  return (
    <Section title={t("trial.title")} about={t("trial.about")} resource={trials}>
      {(rows) => (
        <>
          {!running && version !== live && <Button onClick={() => setBegins(true)}>{t("trial.begin", { version })}</Button>}
          {!running && version === live && <p class="quiet">{t("trial.open_another")}</p>}
          {begins && <Begin project={project} version={version} live={live} onClose={() => setBegins(false)} onDone={(id) => { setBegins(false); setOpened(id); changed(); }} />}
          <Table
            label={t("trial.title")}
            rows={rows}
            keyOf={(one) => one.trial_id}
            empty={t("trial.none")}
            columns={[
              { name: t("project.version"), cell: (one) => <><b>{one.version}</b> {one.running && <Badge kind="good">{t("trial.running")}</Badge>}</> },
              { name: t("trial.mode"), cell: (one) => modeOf(one) },
              { name: t("trial.begun"), cell: (one) => <><Time at={one.at} /><p class="quiet">{actor(one.by, me)}</p></> },
              { name: t("trial.ended"), cell: (one) => <Ended trial={one} /> },
              { name: t("ops.action"), cell: (one) => <Button onClick={() => setOpened(one.trial_id)} label={`${t("trial.outcomes")}: ${one.version}`}>{t("trial.outcomes")}</Button> },
            ]}
          />
          {shown && <OfTrial key={shown} project={project} trialId={shown} onChange={changed} />}
        </>
      )}
    </Section>
  );
}

function modeOf(trial: Trial): string {
  return trial.mode === "share" ? t("trial.share_of", { percent: trial.share ?? 0 }) : t("trial.mode.shadow");
}

function Ended({ trial }: { trial: Trial }) {
  if (!trial.ended_for) return <>{t("trial.until_at")} <Time at={trial.until} /></>;
  return (
    <>
      <Time at={trial.ended_at} />
      <p class="quiet">{t(`trial.ended_for.${trial.ended_for}` as Key)}</p>
      {trial.withdrawn && <p class="quiet">{t("trial.withdrawn")}</p>}
    </>
  );
}

const MODES = ["shadow", "share"] as const;

// Says what will happen and to whom, before it does.
function Begin({ project, version, live, onClose, onDone }: { project: Project; version: number; live: number | null; onClose: () => void; onDone: (id: string) => void }) {
  const { client } = useApp();
  const [entered, setEntered] = useState<Entered>(EMPTY);
  const begun = useRef("");
  const set = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const begin = useAction(async () => {
    const path = { project_id: project.project_id };
    begun.current = (await client.call("POST /projects/{project_id}/trials", { path, body: begunOf(entered, version), key: crypto.randomUUID() })).result.trial_id;
  });
  const number = (name: keyof Entered & string, label: Key, most?: number, step?: string) => (
    <Field label={t(label)} name={name} error={begin.error}>
      <input type="number" inputMode="decimal" min={step ?? "1"} max={most} step={step ?? "1"} value={entered[name]} onInput={(event) => set({ [name]: event.currentTarget.value })} />
    </Field>
  );
  const isShare = entered.mode === "share";
  return (
    <Confirm title={t("trial.begin", { version })} action={begin} button={t("trial.start")} onClose={onClose} onDone={() => onDone(begun.current)}>
      <Choices legend={t("trial.mode")} name="trial-mode" values={MODES} textOf={(one: Mode) => t(`trial.mode.${one}`)} chosen={entered.mode} onChoose={(mode: Mode) => set({ mode })} />
      <p>{isShare ? t("trial.share_effect", { percent: entered.share || 0, version, live: live ?? 1 }) : t("trial.shadow_effect", { version })}</p>
      {isShare ? number("share", "trial.percent", 100) : number("most_answers", "trial.most_answers", 10_000)}
      {isShare ? number("most_conversations", "trial.most_conversations") : number("most_dollars", "trial.most_dollars", 1_000, "0.01")}
      {number("days", "trial.days", 90)}
      {number("handed_off_points", "trial.points", 100)}
      {entered.handed_off_points && number("at_least", "trial.at_least")}
      {entered.handed_off_points && <p class="quiet">{t(isShare ? "trial.points_share" : "trial.points_shadow")}</p>}
    </Confirm>
  );
}

function OfTrial({ project, trialId, onChange }: { project: Project; trialId: string; onChange: () => void }) {
  const { client } = useApp();
  const [stops, setStops] = useState(false);
  const path = { project_id: project.project_id, trial_id: trialId };
  const trial = useResource(async (signal) => (await client.call("GET /projects/{project_id}/trials/{trial_id}", { path, signal })).result, [client, project.project_id, trialId]);
  return (
    <Section title={t("trial.outcomes")} resource={trial}>
      {(found) => (
        <>
          <p>{progressOf(found)}</p>
          <Compared trial={found} />
          {(found.running || (found.mode === "share" && !found.withdrawn)) && (
            <Button onClick={() => setStops(true)}>{found.running ? t("trial.stop") : t("trial.withdraw")}</Button>
          )}
          {stops && <Stop project={project} trial={found} onClose={() => setStops(false)} onDone={() => { setStops(false); void trial.reload(); onChange(); }} />}
          {found.mode === "shadow" && <ShadowAnswers project={project} trialId={trialId} />}
        </>
      )}
    </Section>
  );
}

function progressOf(trial: Outcomes): string {
  if (trial.mode === "shadow") return t("trial.shadow_progress", { begun: trial.begun, failed: trial.failed, version: trial.version });
  return t("trial.share_progress", { tried: trial.trial.conversations, live: trial.live.conversations, version: trial.version });
}

// One row for each outcome, both versions side by side.
function Compared({ trial }: { trial: Outcomes }) {
  const arms = [trial.live, trial.trial];
  return (
    <Table
      label={t("trial.outcomes")}
      rows={trial.mode === "share" ? OF_SHARE : OF_SHADOW}
      keyOf={([name]) => name}
      empty={t("ops.nothing")}
      columns={[
        { name: t("trial.outcome"), cell: ([name]) => t(name) },
        ...arms.map((arm, position) => ({
          name: t(position ? "trial.of_trial" : "trial.of_live", { version: arm.version }),
          isNumber: true,
          cell: ([, valueOf]: Row) => valueOf(arm),
        })),
      ]}
    />
  );
}

type Row = readonly [Key, (arm: Arm) => string];

const share = (name: Key, of: (arm: Arm) => number): Row => [name, (arm) => percentOf(of(arm), arm.conversations)];

const OF_SHARE: Row[] = [
  ["trial.conversations", (arm) => count(arm.conversations)],
  share("trial.handed_off", (arm) => arm.handed_off),
  share("trial.ended_alone", (arm) => arm.ended_alone),
  share("trial.ended_with_people", (arm) => arm.ended_with_people),
  share("trial.reopened", (arm) => arm.reopened_soon),
  share("trial.opted_out", (arm) => arm.opted_out),
  ["trial.rated", (arm) => `${count(arm.rated_up)} / ${count(arm.rated_down)}`],
  ["trial.satisfied", (arm) => satisfied(arm)],
];

const OF_SHADOW: Row[] = [
  ["trial.answers", (arm) => count(arm.answers)],
  ["trial.handed_off", (arm) => percentOf(arm.handed_off, arm.answers)],
  ["trial.opted_out", (arm) => percentOf(arm.opted_out, arm.answers)],
  ["trial.faulty", (arm) => (typeof arm.faulty !== "number" ? t("ops.unknown") : percentOf(arm.faulty, arm.answers))],
  ["trial.seconds", (arm) => (typeof arm.ms !== "number" ? t("ops.unknown") : t("trial.in_seconds", { seconds: (arm.ms / 1000).toFixed(1) }))],
  ["trial.dollars", (arm) => `$${arm.dollars}`],
];

function satisfied(arm: Arm): string {
  const scores = Object.entries(arm.scores ?? {});
  const all = scores.reduce((sum, [, times]) => sum + times, 0);
  if (!all) return t("ops.unknown");
  const sum = scores.reduce((found, [score, times]) => found + Number(score) * times, 0);
  return t("trial.average", { score: (sum / all).toFixed(1), answers: all });
}

const ENDS = ["keep", "withdraw"] as const;

function Stop({ project, trial, onClose, onDone }: { project: Project; trial: Outcomes; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const isShare = trial.mode === "share";
  const [end, setEnd] = useState<(typeof ENDS)[number]>(trial.running ? "keep" : "withdraw");
  const stop = useAction(async () => {
    const path = { project_id: project.project_id, trial_id: trial.trial_id };
    await client.call("POST /projects/{project_id}/trials/{trial_id}/stop", { path, body: { withdraw: isShare && end === "withdraw" }, key: crypto.randomUUID() });
  });
  return (
    <Confirm title={trial.running ? t("trial.stop") : t("trial.withdraw")} action={stop} button={trial.running ? t("trial.stop") : t("trial.withdraw")} onClose={onClose} onDone={onDone}>
      {!isShare && <p>{t("trial.stop_shadow")}</p>}
      {isShare && trial.running && <Choices legend={t("trial.then")} name="trial-end" values={ENDS} textOf={(one: (typeof ENDS)[number]) => t(`trial.then.${one}`, { count: trial.trial.conversations })} chosen={end} onChoose={setEnd} />}
      {isShare && !trial.running && <p>{t("trial.then.withdraw", { count: trial.trial.conversations })}</p>}
    </Confirm>
  );
}
