// The switches of a project's search in documents. They reach customers with the version that they are stored in.

import { useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";
import type { Entered } from "./config";
import type { Tried } from "./Knowledge";

const PLACE = "settings.knowledge_config";

export function KnowledgeForm({ tried, entered, onEnter, onStored }: { tried: Tried; entered: Entered; onEnter: (entered: Entered) => void; onStored: () => void }) {
  const { client } = useApp();
  const [note, setNote] = useState("");
  const save = useAction(async () => {
    const body = { settings: { knowledge_config: tried.config }, note, based_on: tried.version };
    await client.call("POST /projects/{project_id}/versions", { path: { project_id: tried.projectId }, body, key: crypto.randomUUID() });
    onStored();
  });
  const write = (change: Partial<Entered>) => onEnter({ ...entered, ...change });
  const { error } = save;
  const ofTopic = error?.details.find(({ field }) => field?.startsWith(`${PLACE}.topics`))?.field ?? `${PLACE}.topics`;
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("knowledge.form")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {error && <ErrorNotice error={error} fields={["note", ofTopic, `${PLACE}.min_score`]} />}
      <label class="choice-line">
        <input type="checkbox" checked={entered.enabled} onChange={(event) => write({ enabled: event.currentTarget.checked })} />
        <span>{t("knowledge.enabled")}</span>
      </label>
      <label class="choice-line">
        <input type="checkbox" checked={entered.sourcesRequired} onChange={(event) => write({ sourcesRequired: event.currentTarget.checked })} />
        <span>{t("knowledge.sources_required")}</span>
      </label>
      <Field label={t("knowledge.min_score")} name={`${PLACE}.min_score`} error={error}>
        <input type="number" min="0" max="1" step="0.01" value={entered.minScore} onInput={(event) => write({ minScore: event.currentTarget.value })} />
      </Field>
      <Field label={t("knowledge.topics")} name={ofTopic} error={error}>
        <input dir="auto" value={entered.topics} onInput={(event) => write({ topics: event.currentTarget.value })} />
      </Field>
      <Field label={t("project.note")} name="note" error={error}>
        <input value={note} maxLength={500} onInput={(event) => setNote(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy}>
          {t("project.save")}
        </Button>
      </div>
    </form>
  );
}
