// The kept questions of a project: what each should find, and what it finds with the settings above.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../../api/routes";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { named, t } from "../../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../../ui/controls";
import { Section, Table } from "../../sections";
import type { Tried } from "./Knowledge";

type Question = ConversationsAdmin.QuestionView;
type Result = ConversationsAdmin.QuestionResultView;

const MOST = 100; // of a project

export function Questions({ tried }: { tried: Tried }) {
  const { client } = useApp();
  const path = { project_id: tried.projectId };
  const [results, setResults] = useState<Record<string, Result>>({});
  const list = useResource(
    async (signal) => (await client.call("GET /projects/{project_id}/knowledge/questions", { path, query: { limit: MOST }, signal })).result.questions.sort((a, b) => a.at.localeCompare(b.at)),
    [client, tried.projectId],
  );
  const run = useAction(async () => {
    setResults({});
    let cursor: string | null = null;
    do {
      const body = { version: tried.version, settings: { knowledge_config: tried.config }, ...(cursor ? { cursor } : {}) };
      const page: { result: ConversationsAdmin.QuestionResultsView; cursor: string | null } = await client.call("POST /projects/{project_id}/knowledge/results", { path, body });
      const found = Object.fromEntries(page.result.results.map((one) => [one.question_id, one]));
      setResults((known) => ({ ...known, ...found }));
      cursor = page.cursor;
    } while (cursor);
  });
  return (
    <Section
      title={t("knowledge.questions")}
      about={t("knowledge.questions_about")}
      resource={list}
      tools={
        <Button busy={run.busy} disabled={!list.value?.length} onClick={() => void run.run()}>
          {t("knowledge.run")}
        </Button>
      }
    >
      {(rows) => (
        <>
          {run.error && <ErrorNotice error={run.error} />}
          <Table
            label={t("knowledge.questions")}
            rows={rows}
            keyOf={({ question_id }) => question_id}
            empty={t("knowledge.no_questions")}
            columns={[
              { name: t("knowledge.question"), cell: ({ question }) => <span dir="auto">{question}</span> },
              { name: t("knowledge.expected"), cell: ({ document }) => <bdi>{document ?? t("knowledge.any")}</bdi> },
              { name: t("knowledge.result"), cell: (one) => <Outcome result={results[one.question_id]} /> },
              {
                name: t("ops.action"),
                cell: (one) => <Removal projectId={tried.projectId} question={one} onDone={list.reload} />,
              },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function Outcome({ result }: { result: Result | undefined }) {
  if (!result) return <>{t("knowledge.not_run")}</>;
  if (result.found) return <Badge kind="good">{t("knowledge.found_at", { position: result.position ?? 0 })}</Badge>;
  const why = result.left_out ? named("knowledge.left_out", result.left_out) : t("knowledge.not_found");
  return (
    <>
      <Badge kind="warn">{why}</Badge>
      {result.best && <p class="quiet">{t("knowledge.best", { document: result.best })}</p>}
    </>
  );
}

function Removal({ projectId, question, onDone }: { projectId: string; question: Question; onDone: () => Promise<void> }) {
  const { client } = useApp();
  const remove = useAction(async () => {
    const path = { project_id: projectId, question_id: question.question_id };
    await client.call("DELETE /projects/{project_id}/knowledge/questions/{question_id}", { path, key: crypto.randomUUID() });
    await onDone();
  });
  return (
    <>
      {remove.error && <ErrorNotice error={remove.error} />}
      <Button kind="quiet" busy={remove.busy} label={t("knowledge.remove_one", { question: question.question })} onClick={() => void remove.run()}>
        {t("knowledge.remove")}
      </Button>
    </>
  );
}
