// The import of a file, step by step: the file, its columns with a preview, the run, the report. What was entered is kept.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { upload } from "../../api/upload";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { Mapping } from "./Mapping";
import { PreviewTable } from "./PreviewTable";
import { Report } from "./Report";
import { entered, isRegion, kept, mapping, startOf, type ContactList, type Entered } from "./source";

const FORM = "contact-import";

export function ImportWizard({ lists }: { lists: ContactList[] }) {
  const draft = useDraft(FORM);
  const state = kept(draft.text);
  const write = (next: Entered | null) => draft.write(next ? JSON.stringify(next) : "");
  return (
    <section class="ops-section" aria-label={t("exchange.import")}>
      <h2>{t("exchange.import")}</h2>
      <p class="quiet">{t("exchange.import.about")}</p>
      {state === null ? (
        <FileStep onUploaded={(importId, file) => write(entered(importId, file))} />
      ) : (
        <>
          <p>
            {t("exchange.file.chosen", { name: state.file })}{" "}
            <Button kind="quiet" onClick={() => write(null)}>
              {t(state.isStarted ? "exchange.another" : "exchange.file.other")}
            </Button>
          </p>
          {state.isStarted ? (
            <Report importId={state.importId} />
          ) : (
            <ColumnsStep key={state.importId} state={state} lists={lists} onWrite={write} keyFor={draft.keyFor} />
          )}
        </>
      )}
    </section>
  );
}

function FileStep({ onUploaded }: { onUploaded: (importId: string, file: string) => void }) {
  const { client } = useApp();
  const [share, setShare] = useState(0);
  const [file, setFile] = useState<File | null>(null);
  const stopped = useRef(new AbortController());
  useEffect(() => () => stopped.current.abort(), []);
  const send = useAction(async () => {
    if (!file) return;
    const { result } = await client.call("POST /contacts/imports", { body: {} });
    await upload(result, file, setShare, stopped.current.signal);
    onUploaded(result.importId, file.name);
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("exchange.file")}
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} />}
      <Field label={t("exchange.file")} name="file">
        <input type="file" required accept=".csv,.tsv,.txt,text/csv" onChange={(event) => setFile(event.currentTarget.files?.[0] ?? null)} />
      </Field>
      {send.busy && <progress max={1} value={share} aria-label={t("exchange.file")} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={send.busy} disabled={file === null}>
          {t("exchange.upload")}
        </Button>
      </div>
    </form>
  );
}

function ColumnsStep({ state, lists, onWrite, keyFor }: {
  state: Entered;
  lists: ContactList[];
  onWrite: (next: Entered) => void;
  keyFor: (content: unknown) => string;
}) {
  const { client } = useApp();
  const path = { import_id: state.importId };
  const asked = { ...mapping(state), ...(!isRegion(state.region) && { region: null }) };
  const preview = useResource(
    async (signal) => (await client.call("POST /contacts/imports/{import_id}/preview", { path, body: asked, signal })).result,
    [client, JSON.stringify(asked)],
  );
  // What the last preview has shown stays while the next one loads.
  const shown = useRef(preview.value);
  if (preview.value) shown.current = preview.value;
  const columns = state.columns ?? shown.current?.columns.map(({ field }) => field ?? null) ?? null;
  const start = useAction(async () => {
    if (!columns) return;
    const body = startOf(state, columns);
    await client.call("POST /contacts/imports/{import_id}/start", { path, body, key: keyFor(body) });
    onWrite({ ...state, columns, isStarted: true });
  });
  const isComplete = isRegion(state.region) && (state.channels.length === 0 || (state.source.trim() !== "" && state.day !== ""));
  return (
    <form
      aria-label={t("exchange.columns")}
      onSubmit={(event) => {
        event.preventDefault();
        void start.run();
      }}
    >
      <Section title={t("exchange.columns")} about={t("exchange.columns.about")} resource={{ ...preview, value: shown.current }}>
        {(found) => (
          <>
            <Mapping state={state} preview={found} columns={columns ?? []} lists={lists} error={start.error} onWrite={onWrite} />
            <PreviewTable preview={found} />
          </>
        )}
      </Section>
      {start.error && <ErrorNotice error={start.error} onRetry={() => void start.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={start.busy} disabled={!columns || !isComplete}>
          {t("exchange.start")}
        </Button>
      </div>
    </form>
  );
}
