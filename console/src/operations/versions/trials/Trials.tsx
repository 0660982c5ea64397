// A version on trial beside the live one: begun after the person has read who is affected, watched, and stopped.

import { useRef, useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import { useSession } from "../../../app";
import { actor } from "../../../texts/format";
import { t, type Key } from "../../../texts/texts";
import { Badge, Button, Choices, Field } from "../../../ui/controls";
import { Confirm, Section, Table, Time } from "../../sections";
import type { Counted, Outcomes, Row, Trial, TrialSource } from "./source";
import { begunOf, EMPTY, type Entered, type Mode } from "./trial";

interface Props<Arm extends Counted> {
  source: TrialSource<Arm>;
  version: number; // that may be tried
  live: number | null;
  onChange: () => void;
}

export function Trials<Arm extends Counted>({ source, version, live, onChange }: Props<Arm>) {
  const me = useSession().person?.principal ?? null;
  const [opened, setOpened] = useState<string | null>(null);
  const [begins, setBegins] = useState(false);
  const trials = useResource(source.list, [source.of]);
  const running = trials.value?.find((one) => one.running);
  const shown = opened ?? running?.trial_id ?? null;
  const changed = () => {
    void trials.reload();
    onChange();
  };
  return (
    <Section title={t("trial.title")} about={t(source.texts.about)} resource={trials}>
      {(rows) => (
        <>
          {!running && version !== live && <Button onClick={() => setBegins(true)}>{t("trial.begin", { version })}</Button>}
          {!running && version === live && <p class="quiet">{t(source.texts.another)}</p>}
          {begins && <Begin source={source} version={version} live={live} onClose={() => setBegins(false)} onDone={(id) => { setBegins(false); setOpened(id); changed(); }} />}
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
          {shown && <OfTrial key={shown} source={source} trialId={shown} onChange={changed} />}
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
function Begin<Arm extends Counted>({ source, version, live, onClose, onDone }: Omit<Props<Arm>, "onChange"> & { onClose: () => void; onDone: (id: string) => void }) {
  const [entered, setEntered] = useState<Entered>(EMPTY);
  const begun = useRef("");
  const set = (change: Partial<Entered>) => setEntered({ ...entered, ...change });
  const begin = useAction(async () => {
    begun.current = await source.begin(begunOf(entered, version));
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
      <p>{isShare ? t(source.texts.share, { percent: entered.share || 0, version, live: live ?? 1 }) : t(source.texts.shadow, { version })}</p>
      {isShare ? number("share", "trial.percent", 100) : number("most_answers", "trial.most_answers", 10_000)}
      {isShare ? number("most_conversations", "trial.most_conversations") : number("most_dollars", "trial.most_dollars", 1_000, "0.01")}
      {number("days", "trial.days", 90)}
      {number("handed_off_points", "trial.points", 100)}
      {entered.handed_off_points && number("at_least", "trial.at_least")}
      {entered.handed_off_points && <p class="quiet">{t(isShare ? "trial.points_share" : "trial.points_shadow")}</p>}
    </Confirm>
  );
}

function OfTrial<Arm extends Counted>({ source, trialId, onChange }: { source: TrialSource<Arm>; trialId: string; onChange: () => void }) {
  const [stops, setStops] = useState(false);
  const trial = useResource((signal) => source.show(trialId, signal), [source.of, trialId]);
  return (
    <Section title={t("trial.outcomes")} resource={trial}>
      {(found) => (
        <>
          <p>{progressOf(found)}</p>
          <Compared source={source} trial={found} />
          {(found.running || (found.mode === "share" && !found.withdrawn)) && (
            <Button onClick={() => setStops(true)}>{found.running ? t("trial.stop") : t("trial.withdraw")}</Button>
          )}
          {stops && <Stop source={source} trial={found} onClose={() => setStops(false)} onDone={() => { setStops(false); void trial.reload(); onChange(); }} />}
          {found.mode === "shadow" && source.answers(trialId)}
        </>
      )}
    </Section>
  );
}

function progressOf(trial: Outcomes<Counted>): string {
  if (trial.mode === "shadow") return t("trial.shadow_progress", { begun: trial.begun, failed: trial.failed, version: trial.version });
  return t("trial.share_progress", { tried: trial.trial.conversations, live: trial.live.conversations, version: trial.version });
}

// One row for each outcome, both versions side by side.
function Compared<Arm extends Counted>({ source, trial }: { source: TrialSource<Arm>; trial: Outcomes<Arm> }) {
  const arms = [trial.live, trial.trial];
  return (
    <Table
      label={t("trial.outcomes")}
      rows={trial.mode === "share" ? source.ofShare : source.ofShadow}
      keyOf={([name]) => name}
      empty={t("ops.nothing")}
      columns={[
        { name: t("trial.outcome"), cell: ([name]) => t(name) },
        ...arms.map((arm, position) => ({
          name: t(position ? "trial.of_trial" : "trial.of_live", { version: arm.version }),
          isNumber: true,
          cell: ([, valueOf]: Row<Arm>) => valueOf(arm),
        })),
      ]}
    />
  );
}

const ENDS = ["keep", "withdraw"] as const;

function Stop<Arm extends Counted>({ source, trial, onClose, onDone }: { source: TrialSource<Arm>; trial: Outcomes<Arm>; onClose: () => void; onDone: () => void }) {
  const isShare = trial.mode === "share";
  const [end, setEnd] = useState<(typeof ENDS)[number]>(trial.running ? "keep" : "withdraw");
  const stop = useAction(async () => {
    await source.stop(trial.trial_id, isShare && end === "withdraw");
  });
  return (
    <Confirm title={trial.running ? t("trial.stop") : t("trial.withdraw")} action={stop} button={trial.running ? t("trial.stop") : t("trial.withdraw")} onClose={onClose} onDone={onDone}>
      {!isShare && <p>{t("trial.stop_shadow")}</p>}
      {isShare && trial.running && <Choices legend={t("trial.then")} name="trial-end" values={ENDS} textOf={(one: (typeof ENDS)[number]) => t(`trial.then.${one}`, { count: trial.trial.conversations })} chosen={end} onChoose={setEnd} />}
      {isShare && !trial.running && <p>{t("trial.then.withdraw", { count: trial.trial.conversations })}</p>}
    </Confirm>
  );
}
