// Sets of scenarios of a model's settings, of any context: written, run with a version beside the live one, and gates for versions.

import { useEffect, useState } from "preact/hooks";
import { asApiError } from "../../api/errors";
import { useAction, useResource } from "../../api/resource";
import { useSession } from "../../app";
import { actor } from "../../texts/format";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { Section, Table } from "../sections";
import { scenariosIn, textOf, type Scenario } from "./scenarios";
import { onKept, runOf, type Run, type Set, type SetContent, type SetSource } from "./setSources";
import { liveOf, useVersions, type VersionSource } from "./Versions";

type Result = Run["results"][number];

interface Props {
  source: SetSource;
  version: number | null; // null: standard settings, without a version
  live: number | null;
  about: string;
}

export function Sets({ source, version, live, about }: Props) {
  const [opened, setOpened] = useState<string | null>(null);
  const [run, setRun] = useState<string | null>(null);
  const sets = useResource((signal) => source.list(signal), [source.of]);
  useEffect(() => onKept(() => void sets.reload()), [sets.reload]);
  return (
    <Section title={t("sets.title")} about={about} resource={sets} tools={<Button onClick={() => setOpened("")}>{t("sets.new")}</Button>}>
      {(rows) => (
        <>
          <Table
            label={t("sets.title")}
            rows={rows}
            keyOf={({ name }) => name}
            empty={t("sets.none")}
            columns={[
              { name: t("sets.name"), cell: (one) => <><b>{one.name}</b> {one.gate && <Badge kind="warn">{t("sets.gate")}</Badge>}</> },
              { name: t("sets.scenarios"), isNumber: true, cell: ({ scenarios }) => scenarios },
              { name: t("sets.passed_by"), cell: ({ passed }) => passed.join(", ") || t("sets.no_version") },
              {
                name: t("ops.action"),
                cell: (one) => (
                  <Actions source={source} set={one} version={version} live={live} onRun={setRun} onOpen={() => setOpened(one.name)} onChange={() => void sets.reload()} />
                ),
              },
            ]}
          />
          {opened !== null && <Content key={opened} source={source} name={opened} onStored={() => { setOpened(null); void sets.reload(); }} />}
          {run && <Played key={run} source={source} runId={run} />}
        </>
      )}
    </Section>
  );
}

function Actions({ source, set, version, live, onRun, onOpen, onChange }: {
  source: SetSource;
  set: Set;
  version: number | null;
  live: number | null;
  onRun: (runId: string) => void;
  onOpen: () => void;
  onChange: () => void;
}) {
  const newest = set.newest_run;
  const begin = useAction(async () => {
    onRun(await source.begin(set.name, { version, against: live === version ? null : live }));
    onChange();
  });
  const gate = useAction(async () => {
    await source.put(set.name, { gate: !set.gate });
    onChange();
  });
  return (
    <>
      {begin.error && <ErrorNotice error={begin.error} />}
      {gate.error && <ErrorNotice error={gate.error} />}
      <Button busy={begin.busy} onClick={() => void begin.run()} label={`${t("sets.run", { version: version ?? 0 })}: ${set.name}`}>{t("sets.run", { version: version ?? 0 })}</Button>
      {newest && <Button onClick={() => onRun(newest)} label={`${t("sets.results")}: ${set.name}`}>{t("sets.results")}</Button>}
      <Button onClick={onOpen} label={`${t("project.open")}: ${set.name}`}>{t("project.open")}</Button>
      <Button kind="quiet" busy={gate.busy} onClick={() => void gate.run()}>{set.gate ? t("sets.no_gate") : t("sets.make_gate")}</Button>
    </>
  );
}

// The scenarios of a set as text; without a name, the scenarios of a new set.
function Content({ source, name, onStored }: { source: SetSource; name: string; onStored: () => void }) {
  const me = useSession().person?.principal ?? null;
  const [newName, setNewName] = useState("");
  const [text, setText] = useState<string | null>(name ? null : "");
  const set = useResource(async (signal) => (name ? source.show(name, signal) : null), [source.of, name]);
  const shown = text ?? textOf((set.value?.content ?? []) as Scenario[]);
  const scenarios = scenariosIn(shown);
  const [meanwhile, setMeanwhile] = useState<SetContent | null>(null); // is shown before the next storing replaces it
  const save = useAction(async () => {
    if (typeof scenarios === "number") return;
    try {
      await source.put(name || newName, { scenarios, seen: (meanwhile ?? set.value)?.revision ?? 0 });
    } catch (failure) {
      if (asApiError(failure).code === "version_conflict") setMeanwhile(await source.show(name || newName, new AbortController().signal));
      throw failure;
    }
    onStored();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("sets.form")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {set.error && <ErrorNotice error={set.error} />}
      {save.error && <ErrorNotice error={save.error} />}
      {meanwhile && save.error && (
        <details class="notice">
          <summary>{t("canned.meanwhile", { name: actor(meanwhile.by, me) })}</summary>
          <pre dir="auto">{textOf(meanwhile.content as Scenario[])}</pre>
        </details>
      )}
      {!name && (
        <Field label={t("sets.name")} name="name">
          <input value={newName} required maxLength={63} pattern="[a-z0-9][a-z0-9\-]*" onInput={(event) => setNewName(event.currentTarget.value)} />
        </Field>
      )}
      <Field label={t("sets.json")} name="scenarios">
        <textarea dir="auto" rows={12} value={shown} aria-invalid={typeof scenarios === "number"} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {typeof scenarios === "number" && <p role="alert">{t("sets.no_json", { line: scenarios })}</p>}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy} disabled={typeof scenarios === "number"}>{t("sets.save")}</Button>
      </div>
    </form>
  );
}

function Played({ source, runId }: { source: SetSource; runId: string }) {
  const run = useResource((signal) => runOf(source, runId, signal), [source.of, runId]);
  return (
    <Section title={t("sets.results")} resource={run}>
      {(found) => (
        <>
          <p>{t("sets.progress", { done: found.done, total: found.total, passed: found.passed, version: found.version, dollars: found.dollars })}</p>
          <Table
            label={t("sets.results")}
            rows={found.results}
            keyOf={({ position }) => String(position)}
            empty={t("sets.not_yet")}
            columns={[
              { name: t("sets.scenario"), cell: ({ name }) => name },
              ...[found.version, ...(found.against != null ? [found.against] : [])].map((number) => ({
                name: `${t("project.version")} ${number}`,
                cell: (row: Result) => <Outcome row={row} version={number} />,
              })),
            ]}
          />
        </>
      )}
    </Section>
  );
}

function Outcome({ row, version }: { row: Result; version: number }) {
  const result = row.results.find((one) => one.version === version);
  if (!result) return <>{t("ops.unknown")}</>;
  return (
    <>
      <Badge kind={result.passed ? "good" : "warn"}>{result.passed ? t("sets.passed") : t("sets.failed")}</Badge>
      {result.failures.map((failure, position) => <p key={position}>{failure}</p>)}
      {result.judged.map((one) => <p key={one.question} class="quiet">{`${one.question} ${one.reason} (${one.confidence})`}</p>)}
      {result.said && (
        <details>
          <summary>{t("sets.said")}</summary>
          <p dir="auto">{result.said}</p>
        </details>
      )}
    </>
  );
}

// The sets of an owner whose versions are listed elsewhere, with the version to run: by default the newest.
export function SetsOfVersions({ source, versions, about }: { source: SetSource; versions: VersionSource; about: string }) {
  const listed = useVersions(versions);
  const [chosen, setChosen] = useState<number | null>(null);
  const version = chosen ?? listed.items[0]?.number ?? null;
  return (
    <>
      {listed.items.length > 1 && (
        <Field label={t("sets.version")} name="version">
          <select value={version ?? ""} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {listed.items.map((one) => (
              <option key={one.number} value={one.number}>
                {[one.is_live ? t("replay.live", { number: one.number }) : one.number, one.note].filter(Boolean).join(" · ")}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Sets source={source} version={version} live={liveOf(listed)} about={about} />
    </>
  );
}
