// A question that a person types, and the passages that the model would get for it.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { dateText } from "../../../newsletters/steps/TopicsStep";
import { named, t, tn } from "../../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../../ui/controls";
import type { Tried } from "./Knowledge";

type Searched = ConversationsAdmin.SearchView;
type Found = ConversationsAdmin.FoundView;

const LONGEST = 300;

export function Search({ tried, onKept }: { tried: Tried; onKept: () => void }) {
  const { client } = useApp();
  const [question, setQuestion] = useState("");
  const [shown, setShown] = useState<{ question: string; found: Searched } | null>(null);
  const path = { project_id: tried.projectId };
  const search = useAction(async () => {
    const body = { query: question.trim(), version: tried.version, settings: { knowledge_config: tried.config } };
    const { result } = await client.call("POST /projects/{project_id}/knowledge/search", { path, body });
    setShown({ question: body.query, found: result });
  });
  const [expected, setExpected] = useState<string | null>(null);
  const keep = useAction(async () => {
    const body = { question: shown!.question, ...(expected ? { document: expected } : {}) };
    await client.call("POST /projects/{project_id}/knowledge/questions", { path, body, key: crypto.randomUUID() });
    onKept();
  });
  return (
    <section class="ops-section" aria-label={t("knowledge.try")}>
      <h3>{t("knowledge.try")}</h3>
      <form
        class="ops-editor"
        aria-label={t("knowledge.try")}
        onSubmit={(event) => {
          event.preventDefault();
          setExpected(null);
          void search.run();
        }}
      >
        {search.error && <ErrorNotice error={search.error} fields={["query"]} />}
        <Field label={t("knowledge.question")} name="query" error={search.error}>
          <input dir="auto" value={question} required maxLength={LONGEST} onInput={(event) => setQuestion(event.currentTarget.value)} />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={search.busy} disabled={!question.trim()}>
            {t("knowledge.search")}
          </Button>
        </div>
      </form>
      {shown && (
        <div aria-live="polite">
          <Passages searched={shown.found} />
          {keep.error && <ErrorNotice error={keep.error} />}
          <div class="ops-editor-end">
            <Field label={t("knowledge.expected")} name="document" error={keep.error}>
              <select value={expected ?? ""} onChange={(event) => setExpected(event.currentTarget.value || null)}>
                <option value="">{t("knowledge.any")}</option>
                {documentsOf(shown.found.passages).map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </Field>
            <Button busy={keep.busy} onClick={() => void keep.run()}>
              {t("knowledge.keep")}
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}

function documentsOf(passages: Found[]): string[] {
  return [...new Set(passages.map(({ document }) => document))];
}

function Passages({ searched }: { searched: Searched }) {
  const given = searched.passages.filter(({ position }) => Boolean(position)).length;
  return (
    <>
      {!searched.enabled && <p class="notice">{t("knowledge.disabled")}</p>}
      <p>{searched.passages.length ? tn("knowledge.passages", given) : t("knowledge.nothing")}</p>
      <ol class="newsletter-passages">
        {searched.passages.map((one) => (
          <li key={one.chunk_id} class="newsletter-passage">
            <p>
              {one.position ? <Badge kind="good">{one.position}</Badge> : <Badge kind="warn">{named("knowledge.left_out", one.left_out ?? "")}</Badge>}{" "}
              <b>
                <bdi>{one.title || one.document}</bdi>
              </b>
            </p>
            <p class="quiet">
              {[t("knowledge.score", { score: one.score, least: searched.least_score }), dateText(one.date), one.title ? one.document : ""].filter(Boolean).join(" · ")}
            </p>
            <p dir="auto">{one.text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
