// The settings of a project's model: its versions, a form for the next one, and a playground for both.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { Confirm, Section, Table, Time } from "../sections";
import { changeOf, draftOf, settingsOf } from "./draft";
import { Playground } from "./Playground";
import { Sets } from "./Sets";

type Project = ConversationsAdmin.ProjectView;
type Summary = ConversationsAdmin.VersionSummaryView;
type Version = ConversationsAdmin.VersionView;

const MOST_SHOWN = 50; // versions

export function Projects() {
  const { client } = useApp();
  const [chosen, setChosen] = useState("");
  const projects = useResource(async (signal) => (await client.call("GET /projects", { query: { limit: 100 }, signal })).result.projects, [client]);
  return (
    <Section title={t("project.title")} about={t("project.about")} resource={projects}>
      {(found) => {
        const project = found.find((one) => one.project_id === chosen) ?? found[0];
        if (!project) return <p class="ops-empty">{t("project.none")}</p>;
        return (
          <>
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
            <Versions key={project.project_id} project={project} onChange={() => void projects.reload()} />
          </>
        );
      }}
    </Section>
  );
}

function Versions({ project, onChange }: { project: Project; onChange: () => void }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const path = { project_id: project.project_id };
  const [opened, setOpened] = useState<number | null>(null);
  const [raised, setRaised] = useState<Summary | null>(null);
  const versions = useResource(
    async (signal) => (await client.call("GET /projects/{project_id}/versions", { path, query: { limit: MOST_SHOWN }, signal })).result.versions,
    [client, project.project_id],
  );
  const changed = () => {
    void versions.reload();
    onChange();
  };
  const live = versions.value?.find((one) => one.is_live)?.number ?? null;
  const base = opened ?? live;
  return (
    <>
      <Section title={t("project.versions")} about={t("project.versions_about")} resource={versions}>
        {(rows) => (
          <Table
            label={t("project.versions")}
            rows={rows}
            keyOf={({ number }) => String(number)}
            empty={t("project.no_versions")}
            columns={[
              { name: t("project.version"), cell: (one) => <VersionName version={one} /> },
              { name: t("project.made"), cell: (one) => <><Time at={one.at} /><p class="quiet">{actor(one.by, me)}</p></> },
              { name: t("project.note"), cell: ({ note }) => note },
              {
                name: t("ops.action"),
                cell: (one) => (
                  <>
                    <Button onClick={() => setOpened(one.number)} label={`${t("project.open")} ${one.number}`}>{t("project.open")}</Button>
                    {!one.is_live && <Button onClick={() => setRaised(one)} label={`${t("project.put_live")} ${one.number}`}>{t("project.put_live")}</Button>}
                  </>
                ),
              },
            ]}
          />
        )}
      </Section>
      {raised && <GoLive project={project} version={raised} live={live} onClose={() => setRaised(null)} onDone={changed} />}
      <Opened key={base ?? 0} project={project} number={base} onStored={changed} />
      {base !== null && <Sets project={project} version={base} live={live} />}
    </>
  );
}

function VersionName({ version }: { version: Summary }) {
  return (
    <>
      <b>{version.number}</b> {version.is_live && <Badge kind="good">{t("project.live")}</Badge>}
    </>
  );
}

// Says before the change what will be different for customers.
function GoLive({ project, version, live, onClose, onDone }: { project: Project; version: Summary; live: number | null; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const path = { project_id: project.project_id, number: String(version.number) };
  const compared = useResource(
    async (signal) => (await client.call("GET /projects/{project_id}/versions/{number}", { path, query: { against: live }, signal })).result,
    [client, version.number],
  );
  const raise = useAction(async () => {
    await client.call("POST /projects/{project_id}/versions/{number}/live", { path, body: { instead_of: live }, key: crypto.randomUUID() });
    onDone();
  });
  return (
    <Confirm title={t("project.put_live_title", { number: version.number })} action={raise} button={t("project.put_live")} onClose={onClose} onDone={onClose}>
      <p>{t("project.put_live_about")}</p>
      {compared.error && <ErrorNotice error={compared.error} />}
      {compared.value && <Differences version={compared.value} />}
    </Confirm>
  );
}

function Differences({ version }: { version: Version }) {
  return (
    <Table
      label={t("project.differences")}
      rows={version.differences}
      keyOf={({ path }) => path}
      empty={t("project.no_differences")}
      columns={[
        { name: t("project.setting"), cell: ({ path }) => path },
        { name: t("project.before"), cell: ({ before }) => shown(before) },
        { name: t("project.after"), cell: ({ after }) => shown(after) },
      ]}
    />
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return t("ops.unknown");
  return typeof value === "string" ? value : JSON.stringify(value);
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
