// A conversation with the model of a draft. Nothing is sent to anyone.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { scenarioOf } from "../versions/scenarios";
import { keepScenario, setsOfProject } from "../versions/setSources";
import { Trace } from "../versions/Trace";

type Project = ConversationsAdmin.ProjectView;
type Input = ConversationsAdmin.PlaygroundInput;
type Tried = ConversationsAdmin.PlaygroundView;
type Spoken = NonNullable<Input["messages"]>[number];
type Sent = NonNullable<Spoken["files"]>[number];
interface Line {
  spoken: Spoken;
  tried?: Tried;
}

const MOST_MESSAGES = 40;
const MOST_FILES = 4;

export function Playground({ project, version, settings }: { project: Project; version: number; settings: Record<string, unknown> }) {
  const { client } = useApp();
  const [channel, setChannel] = useState(project.channels[0] ?? "sms");
  const [lines, setLines] = useState<Line[]>([]);
  const [text, setText] = useState("");
  const [files, setFiles] = useState<Sent[]>([]);
  const canSay = text.trim() !== "" || files.length > 0;
  const ask = useAction(async () => {
    const said: Line[] = canSay ? [...lines, { spoken: { by: "customer", text: text.trim(), files } }] : lines;
    const body: Input = { version, settings, channel: channel as Input["channel"], messages: said.slice(-MOST_MESSAGES).map(({ spoken }) => spoken) };
    const tried = (await client.call("POST /projects/{project_id}/playground", { path: { project_id: project.project_id }, body })).result;
    setLines([...said, { spoken: { by: "company", text: tried.content || "–" }, tried }]);
    setText("");
    setFiles([]);
  });
  const keep = useAction(async () => {
    const handsOff = Boolean(lines.at(-1)?.tried?.hand_off);
    const made = scenarioOf(channel, lines.map(({ spoken: { by, text: words = "" } }) => ({ by, text: words })), handsOff, new Date().toISOString());
    await keepScenario(setsOfProject(client, project.project_id), made);
    showToast(t("sets.kept"));
  });
  return (
    <section class="ops-section" aria-label={t("playground.title")}>
      <header class="ops-head">
        <div>
          <h2>{t("playground.title")}</h2>
          <p class="quiet">{t("playground.about")}</p>
        </div>
        <Button busy={keep.busy} disabled={!lines.some(({ spoken }) => spoken.by === "customer") || lines.some(({ spoken }) => spoken.files?.length)} onClick={() => void keep.run()}>
          {t("playground.keep")}
        </Button>
        <Button kind="quiet" disabled={lines.length === 0} onClick={() => setLines([])}>
          {t("playground.clear")}
        </Button>
      </header>
      {keep.error && <ErrorNotice error={keep.error} />}
      <ol class="playground" aria-live="polite">
        {lines.map((line, position) => (
          <li key={position} class={`playground-${line.spoken.by}`}>
            <b>{named("playground.by", line.spoken.by)}</b>
            <p>{line.spoken.text}</p>
            {(line.spoken.files?.length ?? 0) > 0 && <p class="quiet">{t("playground.sent_files", { n: line.spoken.files?.length ?? 0 })}</p>}
            {line.tried && <TracedAnswer tried={line.tried} />}
          </li>
        ))}
      </ol>
      <form
        class="ops-editor"
        aria-label={t("playground.form")}
        onSubmit={(event) => {
          event.preventDefault();
          void ask.run();
        }}
      >
        {ask.error && <ErrorNotice error={ask.error} fields={["channel", "messages"]} />}
        <Field label={t("playground.channel")} name="channel" error={ask.error}>
          <select value={channel} onChange={(event) => setChannel(event.currentTarget.value)}>
            {project.channels.map((one) => (
              <option key={one} value={one}>
                {named("channel", one)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("playground.message")} name="messages" error={ask.error}>
          <textarea dir="auto" rows={3} maxLength={4000} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <Field label={t("playground.files")} name="files">
          <input
            key={lines.length}
            type="file"
            multiple
            accept="image/png,image/jpeg,image/gif,image/webp,application/pdf"
            onChange={(event) => void Promise.all([...(event.currentTarget.files ?? [])].slice(0, MOST_FILES).map(contentOf)).then(setFiles)}
          />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={ask.busy} disabled={lines.length > 0 && !canSay}>
            {canSay || lines.length > 0 ? t("playground.ask") : t("playground.first")}
          </Button>
        </div>
      </form>
    </section>
  );
}

// The content of a file in base64.
function contentOf(file: File): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ content: String(reader.result).replace(/^[^,]*,/, "") });
    reader.onerror = () => reject(new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

// How the model came to its answer.
export function TracedAnswer({ tried }: { tried: Tried }) {
  return (
    <>
      {tried.hand_off && (
        <p>
          <Badge kind="warn">{t("playground.hand_off")}</Badge> {tried.hand_off_reason}
        </p>
      )}
      {tried.faults.map((one, position) => (
        <Badge key={position} kind={one.severity === "note" ? "plain" : "warn"}>
          {one.fault.replaceAll("_", " ")}
        </Badge>
      ))}
      <Trace tried={tried}>
        {tried.calls.map((call, position) => (
          <pre key={position}>{`${call.name} ${JSON.stringify(call.arguments)} → ${call.result ?? "–"}`}</pre>
        ))}
        {tried.passages.map((one) => (
          <p key={one.chunk_id}>{`${one.chunk_id} (${one.score})${one.cited ? ` ${t("playground.cited")}` : ""}`}</p>
        ))}
      </Trace>
    </>
  );
}
