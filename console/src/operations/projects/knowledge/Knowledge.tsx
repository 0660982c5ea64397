// What a project's answers find in the company's documents: switches, documents, and questions that try them.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../../api/routes";
import { useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { Documents } from "../../../newsletters/documents/Documents";
import "../../../newsletters/newsletters.css";
import { t } from "../../../texts/texts";
import { Badge } from "../../../ui/controls";
import { Section } from "../../sections";
import { configOf, enteredOf, reads, topicsOf } from "./config";
import { KnowledgeForm } from "./KnowledgeForm";
import { Questions } from "./Questions";
import { Search } from "./Search";
import { Suggestions } from "./Suggestions";

type Version = ConversationsAdmin.VersionView;
type Config = Record<string, unknown>;

export interface Tried {
  projectId: string;
  version: number;
  config: Config; // with what is entered, stored or not
}

export function Knowledge({ projectId, number, onStored }: { projectId: string; number: number; onStored: () => void }) {
  const { client } = useApp();
  const version = useResource(
    async (signal) => (await client.call("GET /projects/{project_id}/versions/{number}", { path: { project_id: projectId, number: String(number) }, signal })).result,
    [client, projectId, number],
  );
  return (
    <Section title={t("knowledge.title")} about={t("knowledge.about", { number })} resource={version}>
      {(found) => <OfVersion projectId={projectId} version={found} onStored={onStored} />}
    </Section>
  );
}

function OfVersion({ projectId, version, onStored }: { projectId: string; version: Version; onStored: () => void }) {
  const before = (version.settings as { knowledge_config?: Config }).knowledge_config ?? {};
  const [entered, setEntered] = useState(() => enteredOf(before));
  const [kept, setKept] = useState(0);
  const [added, setAdded] = useState(0);
  const config = configOf(entered, before);
  const tried = { projectId, version: version.number, config };
  const topics = topicsOf(config);
  const isOwn = config.retriever !== "bedrock";
  return (
    <>
      <KnowledgeForm tried={tried} entered={entered} onEnter={setEntered} onStored={onStored} />
      <Search tried={tried} onKept={() => setKept(kept + 1)} />
      <Questions key={kept} tried={tried} />
      <Suggestions projectId={projectId} topics={topics} onAccepted={({ version: isVersion }) => (isVersion ? onStored() : setAdded(added + 1))} />
      {isOwn ? (
        <Documents
          key={added}
          about={t("knowledge.documents_about")}
          extra={{
            name: t("knowledge.is_read"),
            cell: (one) => (reads(topics, one) ? <Badge kind="good">{t("knowledge.yes")}</Badge> : <Badge>{t("knowledge.no")}</Badge>),
          }}
        />
      ) : (
        <p class="notice">{t("knowledge.base", { id: String(config.knowledge_base_id ?? "") })}</p>
      )}
    </>
  );
}
