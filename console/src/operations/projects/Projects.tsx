// The settings of a project's model: its versions, a form for the next one, and a playground for both.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { loadTexts, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Later } from "../../ui/Later";
import { Section } from "../sections";
import { ofProject } from "../versions/sources";
import { Differences, liveOf, useVersions, Versions, type Version } from "../versions/Versions";
import { changeOf, draftOf, settingsOf } from "./draft";
import { Playground } from "./Playground";
import { ProjectSwitches } from "./ProjectSwitches";
import { Sets } from "../versions/Sets";
import { setsOfProject } from "../versions/setSources";
import { trialsOfProject } from "../versions/trials/ofProject";
import { Trials } from "../versions/trials/Trials";

type Project = ConversationsAdmin.ProjectView;

export function Projects() {
  const { client } = useApp();
  const [chosen, setChosen] = useState("");
  const [isMaking, setMaking] = useState(false);
  const projects = useResource(async (signal) => (await client.call("GET /projects", { query: { limit: 100 }, signal })).result.projects, [client]);
  const made = async (projectId: string) => {
    await projects.reload();
    setChosen(projectId);
    setMaking(false);
  };
  const form = (onClose?: () => void) => (
    <Later load={() => import("./ProjectForm")} show={({ ProjectForm }) => <ProjectForm onMade={made} {...(onClose && { onClose })} />} />
  );
  const add = projects.value?.length && !isMaking ? <Button onClick={() => setMaking(true)}>{t("project.new")}</Button> : null;
  return (
    <Section title={t("project.title")} about={t("project.about")} resource={projects} tools={add}>
      {(found) => {
        const project = found.find((one) => one.project_id === chosen) ?? found[0];
        if (!project) {
          return (
            <>
              <p class="ops-empty">{t("project.none")}</p>
              {form()}
            </>
          );
        }
        return (
          <>
            {isMaking && form(() => setMaking(false))}
            <Field label={t("project.project")} name="project">
              <select value={project.project_id} onChange={(event) => setChosen(event.currentTarget.value)}>
                {found.map((one) => (
                  <option key={one.project_id} value={one.project_id}>
                    {one.name ?? one.project_id}
                  </option>
                ))}
              </select>
            </Field>
            {project.unusable && <p class="notice notice-error">{t("project.unusable", { setting: project.unusable })}</p>}
            <ProjectSwitches key={`switches ${project.project_id}`} project={project} onChange={projects.reload} />
            <OfProject key={project.project_id} project={project} onChange={() => void projects.reload()} />
          </>
        );
      }}
    </Section>
  );
}

function OfProject({ project, onChange }: { project: Project; onChange: () => void }) {
  const { client } = useApp();
  const [opened, setOpened] = useState<number | null>(null);
  const source = ofProject(client, project.project_id);
  const versions = useVersions(source);
  const changed = () => {
    void versions.reload();
    onChange();
  };
  const live = liveOf(versions);
  const base = opened ?? live;
  return (
    <>
      <Versions source={source} versions={versions} about={t("project.versions_about")} effect={t("project.put_live_about")} onChange={onChange} onOpen={setOpened} />
      {versions.first.value && <Opened key={base ?? 0} project={project} number={base} onStored={changed} />}
      {base !== null && <Trials source={trialsOfProject(client, project.project_id)} version={base} live={live} onChange={onChange} />}
      {base !== null && <Sets source={setsOfProject(client, project.project_id)} version={base} live={live} about={t("sets.about")} />}
      {base !== null && (
        <Later
          load={async () => (await Promise.all([import("./knowledge/Knowledge"), loadTexts("newsletters", "ratings", "knowledge")]))[0]}
          show={({ Knowledge }) => <Knowledge key={base} projectId={project.project_id} number={base} onStored={changed} />}
        />
      )}
    </>
  );
}

// The settings of a version, to change and to try. Without versions, those that are live.
function Opened({ project, number, onStored }: { project: Project; number: number | null; onStored: () => void }) {
  const { client } = useApp();
  const version = useResource(
    async (signal) => {
      if (number === null) return null;
      const path = { project_id: project.project_id, number: String(number) };
      return (await client.call("GET /projects/{project_id}/versions/{number}", { path, signal })).result;
    },
    [client, project.project_id, number],
  );
  if (number === null) return <FirstVersion project={project} onStored={onStored} />;
  return (
    <Section title={t("project.settings", { number })} resource={version}>
      {(found) => found && <Editor project={project} version={found} onStored={onStored} />}
    </Section>
  );
}

function FirstVersion({ project, onStored }: { project: Project; onStored: () => void }) {
  const { client } = useApp();
  const begin = useAction(async () => {
    await client.call("POST /projects/{project_id}/versions", { path: { project_id: project.project_id }, body: { settings: {} }, key: crypto.randomUUID() });
    onStored();
  });
  return (
    <>
      {begin.error && <ErrorNotice error={begin.error} />}
      <Button kind="primary" busy={begin.busy} onClick={() => void begin.run()}>
        {t("project.begin")}
      </Button>
    </>
  );
}

const PROMPTS = ["initial", "reply"] as const;

function placeOf(prompt: (typeof PROMPTS)[number]): string {
  return `settings.ai_config.prompts.${prompt}`;
}

function Editor({ project, version, onStored }: { project: Project; version: Version; onStored: () => void }) {
  const { client } = useApp();
  const [draft, setDraft] = useState(() => draftOf(version.settings));
  const [note, setNote] = useState("");
  const settings = settingsOf(draft);
  const change = settings && changeOf(version.settings, settings);
  const save = useAction(async () => {
    const body = { settings: change ?? {}, note, based_on: version.number };
    await client.call("POST /projects/{project_id}/versions", { path: { project_id: project.project_id }, body, key: crypto.randomUUID() });
    setNote("");
    onStored();
  });
  return (
    <>
      <form
        class="ops-editor"
        aria-label={t("project.form")}
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        {save.error && <ErrorNotice error={save.error} fields={["note", ...PROMPTS.map(placeOf)]} />}
        <Field label={t("project.initial")} name={placeOf("initial")} error={save.error}>
          <textarea dir="auto" rows={5} value={draft.initial} onInput={(event) => setDraft({ ...draft, initial: event.currentTarget.value })} />
        </Field>
        <Field label={t("project.reply")} name={placeOf("reply")} error={save.error}>
          <textarea dir="auto" rows={8} value={draft.reply} onInput={(event) => setDraft({ ...draft, reply: event.currentTarget.value })} />
        </Field>
        <details>
          <summary>{t("project.all")}</summary>
          <Field label={t("project.json")} name="json">
            <textarea dir="auto" rows={16} value={draft.json} aria-invalid={settings === null} onInput={(event) => setDraft({ ...draft, json: event.currentTarget.value })} />
          </Field>
        </details>
        {settings === null && <p role="alert">{t("project.no_json")}</p>}
        <Field label={t("project.note")} name="note" error={save.error}>
          <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={save.busy} disabled={settings === null}>
            {t("project.save")}
          </Button>
        </div>
      </form>
      {version.compared_with !== null && <Differences version={version} />}
      {change && <Playground project={project} version={version.number} settings={change} />}
    </>
  );
}
