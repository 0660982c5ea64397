// Sets of scenarios of a project: written, run with a version beside the live one, and gates for versions.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { Section, Table } from "../sections";
import { scenariosIn, textOf, type Scenario } from "./scenarios";

type Project = ConversationsAdmin.ProjectView;
type Set = ConversationsAdmin.SetView;
type Result = ConversationsAdmin.ScenarioResultView;

export function Sets({ project, version, live }: { project: Project; version: number; live: number | null }) {
  const { client } = useApp();
  const path = { project_id: project.project_id };
  const [opened, setOpened] = useState<string | null>(null);
  const [run, setRun] = useState<string | null>(null);
  const sets = useResource(async (signal) => (await client.call("GET /projects/{project_id}/sets", { path, query: { limit: 100 }, signal })).result.sets, [client, project.project_id]);
  return (
    <Section title={t("sets.title")} about={t("sets.about")} resource={sets} tools={<Button onClick={() => setOpened("")}>{t("sets.new")}</Button>}>
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
                  <Actions project={project} set={one} version={version} live={live} onRun={setRun} onOpen={() => setOpened(one.name)} onChange={() => void sets.reload()} />
                ),
              },
            ]}
          />
          {opened !== null && <Content key={opened} project={project} name={opened} onStored={() => { setOpened(null); void sets.reload(); }} />}
          {run && <Run key={run} project={project} runId={run} />}
        </>
      )}
    </Section>
  );
}

function Actions({ project, set, version, live, onRun, onOpen, onChange }: {
  project: Project;
  set: Set;
  version: number;
  live: number | null;
  onRun: (runId: string) => void;
  onOpen: () => void;
  onChange: () => void;
}) {
  const { client } = useApp();
  const path = { project_id: project.project_id, set_name: set.name };
  const newest = set.newest_run;
  const begin = useAction(async () => {
    const body = { version, against: live === version ? null : live };
    onRun((await client.call("POST /projects/{project_id}/sets/{set_name}/runs", { path, body, key: crypto.randomUUID() })).result.run_id);
    onChange();
  });
  const gate = useAction(async () => {
    await client.call("POST /projects/{project_id}/sets/{set_name}", { path, body: { gate: !set.gate }, key: crypto.randomUUID() });
    onChange();
  });
  return (
    <>
      {begin.error && <ErrorNotice error={begin.error} />}
      {gate.error && <ErrorNotice error={gate.error} />}
      <Button busy={begin.busy} onClick={() => void begin.run()} label={`${t("sets.run", { version })}: ${set.name}`}>{t("sets.run", { version })}</Button>
      {newest && <Button onClick={() => onRun(newest)} label={`${t("sets.results")}: ${set.name}`}>{t("sets.results")}</Button>}
      <Button onClick={onOpen} label={`${t("project.open")}: ${set.name}`}>{t("project.open")}</Button>
      <Button kind="quiet" busy={gate.busy} onClick={() => void gate.run()}>{set.gate ? t("sets.no_gate") : t("sets.make_gate")}</Button>
    </>
  );
}

// The scenarios of a set as text; without a name, the scenarios of a new set.
function Content({ project, name, onStored }: { project: Project; name: string; onStored: () => void }) {
  const { client } = useApp();
  const [newName, setNewName] = useState("");
  const [text, setText] = useState<string | null>(name ? null : "");
  const set = useResource(
    async (signal) => (name ? (await client.call("GET /projects/{project_id}/sets/{set_name}", { path: { project_id: project.project_id, set_name: name }, signal })).result : null),
    [client, name],
  );
  const shown = text ?? textOf((set.value?.content ?? []) as Scenario[]);
  const scenarios = scenariosIn(shown);
  const save = useAction(async () => {
    if (typeof scenarios === "number") return;
    const path = { project_id: project.project_id, set_name: name || newName };
    await client.call("POST /projects/{project_id}/sets/{set_name}", { path, body: { scenarios }, key: crypto.randomUUID() });
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

function Run({ project, runId }: { project: Project; runId: string }) {
  const { client } = useApp();
  const run = useResource(
    async (signal) => (await client.call("GET /projects/{project_id}/runs/{run_id}", { path: { project_id: project.project_id, run_id: runId }, query: { limit: 100 }, signal })).result,
    [client, runId],
  );
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
              ...[found.version, ...(found.against ? [found.against] : [])].map((number) => ({
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
