// Questions that the model did not answer, in groups: a person writes the answer into a document or the settings.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../../api/routes";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { placeOf } from "../../../shell/router";
import { named, t, tn } from "../../../texts/texts";
import { Badge, Button, Choices, ErrorNotice, Field } from "../../../ui/controls";
import { Section, Time } from "../../sections";
import { namesIn } from "./config";

type Suggestion = ConversationsAdmin.SuggestionView;
type Kind = "document" | "fact";

const KINDS: readonly Kind[] = ["document", "fact"];

export function Suggestions({ projectId, topics, onAccepted }: { projectId: string; topics: string[]; onAccepted: (made: { version: boolean }) => void }) {
  const { client } = useApp();
  const list = useResource(async (signal) => (await client.call("GET /projects/{project_id}/knowledge/suggestions", { path: { project_id: projectId }, signal })).result, [client, projectId]);
  return (
    <Section title={t("knowledge.suggestions")} about={t("knowledge.suggestions_about")} resource={list}>
      {({ suggestions, compared, has_older: hasOlder, has_more: hasMore, embedding_model: model, embedding_failure: failure }) => (
        <>
          {suggestions.length === 0 && <p class="ops-empty">{t("knowledge.no_suggestions")}</p>}
          {(hasOlder || hasMore) && <p class="quiet">{t("knowledge.compared", { count: compared })}</p>}
          {failure ? (
            <p>
              <Badge kind="warn">{t("knowledge.by_words")}</Badge> {t("knowledge.embedding_failed", { reason: failure })}
            </p>
          ) : (
            suggestions.length > 0 && <p class="quiet">{model ? t("knowledge.embedded", { model }) : t("knowledge.not_embedded")}</p>
          )}
          <ol class="newsletter-passages">
            {suggestions.map((one) => (
              <OneSuggestion
                key={one.question_ids[0]}
                projectId={projectId}
                suggestion={one}
                topics={topics}
                onDone={async (made) => {
                  await list.reload();
                  if (made) onAccepted(made);
                }}
              />
            ))}
          </ol>
        </>
      )}
    </Section>
  );
}

function OneSuggestion({ projectId, suggestion, topics, onDone }: { projectId: string; suggestion: Suggestion; topics: string[]; onDone: (made?: { version: boolean }) => Promise<void> }) {
  const { client } = useApp();
  const [isOpen, setOpen] = useState(false);
  const path = { project_id: projectId };
  const dismiss = useAction(async () => {
    await client.call("POST /projects/{project_id}/knowledge/dismissals", { path, body: { questions: suggestion.question_ids }, key: crypto.randomUUID() });
    await onDone();
  });
  const { title } = suggestion;
  return (
    <li class="newsletter-passage" aria-label={title}>
      <p>
        <b dir="auto">{title}</b> <Badge kind="warn">{tn("knowledge.new", suggestion.new)}</Badge>{" "}
        {Object.entries(suggestion.causes).map(([cause, count]) => (
          <Badge key={cause}>{t("knowledge.cause_count", { cause: named("knowledge.cause", cause), count })}</Badge>
        ))}{" "}
        <Badge>{t(suggestion.grouped_by === "embedding" ? "knowledge.by_embedding" : "knowledge.by_words")}</Badge>
      </p>
      {suggestion.answered_by && <p class="quiet">{t("knowledge.answered_by", { document: suggestion.answered_by })}</p>}
      <details>
        <summary>{t("knowledge.show_questions")}</summary>
        <ul>
          {suggestion.questions.map((one) => (
            <li key={one.question_id}>
              <p dir="auto">{one.text}</p>
              <p class="quiet">
                <Time at={one.at} /> · {named("channel", one.channel)} · {named("knowledge.cause", one.cause)} {one.reasons.map((reason) => ` · ${named("rating.reason", reason)}`)} ·{" "}
                <a class="link" href={placeOf("all", "conversations", one.ref)}>
                  {t("knowledge.conversation")}
                </a>
              </p>
            </li>
          ))}
        </ul>
      </details>
      {dismiss.error && <ErrorNotice error={dismiss.error} />}
      {isOpen ? (
        <Draft projectId={projectId} suggestion={suggestion} topics={topics} onClose={() => setOpen(false)} onDone={onDone} />
      ) : (
        <div class="ops-editor-end">
          <Button label={t("knowledge.answer_one", { title })} onClick={() => setOpen(true)}>
            {t("knowledge.answer")}
          </Button>
          <Button kind="quiet" busy={dismiss.busy} label={t("knowledge.dismiss_one", { title })} onClick={() => void dismiss.run()}>
            {t("knowledge.dismiss")}
          </Button>
        </div>
      )}
    </li>
  );
}

// The answer as a person edits it; it begins with what a colleague has answered.
function Draft({ projectId, suggestion, topics, onClose, onDone }: { projectId: string; suggestion: Suggestion; topics: string[]; onClose: () => void; onDone: (made: { version: boolean }) => Promise<void> }) {
  const { client } = useApp();
  const [kind, setKind] = useState<Kind>("document");
  const [title, setTitle] = useState(suggestion.title);
  const [text, setText] = useState(suggestion.draft);
  const [topicText, setTopicText] = useState(topics.join(", "));
  const [key] = useState(() => crypto.randomUUID());
  const accept = useAction(async () => {
    const body = { questions: suggestion.question_ids, kind, title, text, ...(kind === "document" ? { topics: namesIn(topicText) } : {}) };
    await client.call("POST /projects/{project_id}/knowledge/acceptances", { path: { project_id: projectId }, body, key });
    await onDone({ version: kind === "fact" });
  });
  const { error } = accept;
  const ofTopic = error?.details.find(({ field }) => field?.startsWith("topics"))?.field ?? "topics";
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("knowledge.answer_one", { title: suggestion.title })}
      onSubmit={(event) => {
        event.preventDefault();
        void accept.run();
      }}
    >
      {error && <ErrorNotice error={error} fields={["title", "text", ofTopic]} />}
      <Choices legend={t("knowledge.into")} name={`into-${suggestion.question_ids[0]}`} values={KINDS} textOf={(one) => t(`knowledge.into.${one}`)} chosen={kind} onChoose={setKind} />
      <Field label={t("newsletter.field.title")} name="title" error={error}>
        <input dir="auto" value={title} required maxLength={300} onInput={(event) => setTitle(event.currentTarget.value)} />
      </Field>
      <Field label={t(suggestion.draft ? "knowledge.text_of_person" : "knowledge.text")} name="text" error={error}>
        <textarea dir="auto" rows={6} value={text} required maxLength={20000} onInput={(event) => setText(event.currentTarget.value)} />
      </Field>
      {kind === "document" && (
        <Field label={t("newsletter.documents.topics")} name={ofTopic} error={error}>
          <input dir="auto" value={topicText} onInput={(event) => setTopicText(event.currentTarget.value)} />
        </Field>
      )}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={accept.busy} disabled={!text.trim() || !title.trim()}>
          {t(`knowledge.accept.${kind}`)}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t("action.cancel")}
        </Button>
      </div>
    </form>
  );
}
