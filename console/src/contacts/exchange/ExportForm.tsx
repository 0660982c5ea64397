// The export of contacts to a file: all, the members of a list, or the contacts with a label.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { count, Section } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import type { ContactList } from "./source";

const FORMATS = ["csv", "jsonl"] as const;
const POLL_MS = 4_000;

export function ExportForm({ lists }: { lists: ContactList[] }) {
  const { client } = useApp();
  const [format, setFormat] = useState<(typeof FORMATS)[number]>("csv");
  const [listId, setListId] = useState("");
  const [label, setLabel] = useState("");
  const [exportId, setExportId] = useState<string | null>(null);
  const begin = useAction(async () => {
    const body = { format, list_id: listId || null, label: (!listId && label.trim()) || null };
    setExportId((await client.call("POST /contacts/exports", { body })).result.exportId);
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("exchange.export")}
      onSubmit={(event) => {
        event.preventDefault();
        void begin.run();
      }}
    >
      <h2>{t("exchange.export")}</h2>
      <p class="quiet">{t("exchange.export.about")}</p>
      {begin.error && <ErrorNotice error={begin.error} onRetry={() => void begin.run()} fields={["label"]} />}
      <Field label={t("exchange.format")} name="format" error={begin.error}>
        <select value={format} onChange={(event) => setFormat(event.currentTarget.value as (typeof FORMATS)[number])}>
          {FORMATS.map((one) => (
            <option key={one} value={one}>
              {named("exchange.format", one)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("exchange.list")} name="list_id" error={begin.error}>
        <select value={listId} onChange={(event) => setListId(event.currentTarget.value)}>
          <option value="">{t("exchange.list.all")}</option>
          {lists.map((one) => (
            <option key={one.listId} value={one.listId}>
              {one.name}
            </option>
          ))}
        </select>
      </Field>
      {!listId && (
        <Field label={t("exchange.label")} name="label" error={begin.error}>
          <input type="text" maxLength={50} value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
        </Field>
      )}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={begin.busy}>
          {t("exchange.export.start")}
        </Button>
      </div>
      {exportId && <Exported key={exportId} exportId={exportId} />}
    </form>
  );
}

function Exported({ exportId }: { exportId: string }) {
  const { client } = useApp();
  const [isDone, setDone] = useState(false);
  const state = useResource(
    async (signal) => {
      const { result } = await client.call("GET /contacts/exports/{export_id}", { path: { export_id: exportId }, signal });
      if (result.finishedAt) setDone(true);
      return result;
    },
    [client, exportId],
    isDone ? null : POLL_MS,
  );
  return (
    <Section title={t("exchange.file")} resource={state}>
      {(found) => (
        <p role="status">
          {t(found.finishedAt ? "exchange.exported" : "exchange.exporting", { total: count(found.total) })}{" "}
          {found.link && (
            <a href={found.link} rel="noreferrer" download>
              {t("exchange.download")}
            </a>
          )}
        </p>
      )}
    </Section>
  );
}
