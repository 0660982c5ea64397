// What a version in shadow answered beside the live one, message by message.

import type { ConversationsAdmin } from "../../../api/routes";
import { usePageList } from "../../../api/pageList";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, MoreButton } from "../../../ui/controls";
import { Section, Table, Time } from "../../sections";

type Answer = ConversationsAdmin.ShadowAnswerView;

const MOST = 20;

export function ShadowAnswers({ projectId, trialId }: { projectId: string; trialId: string }) {
  const { client } = useApp();
  const path = { project_id: projectId, trial_id: trialId };
  const answers = usePageList(
    async (cursor, signal) => {
      const page = await client.call("GET /projects/{project_id}/trials/{trial_id}/answers", { path, query: { limit: MOST, cursor }, signal });
      return { items: page.result.answers, cursor: page.cursor };
    },
    [client, projectId, trialId],
  );
  return (
    <Section title={t("trial.compared")} about={t("trial.compared_about")} resource={answers.first}>
      {() => (
        <>
          <Table
            label={t("trial.compared")}
            rows={answers.items}
            keyOf={(one) => `${one.ref} ${one.at}`}
            empty={t("trial.no_answers")}
            columns={[
              { name: t("trial.customer"), cell: (one) => <><p dir="auto">{one.customer_text ?? t("trial.not_stored")}</p><Time at={one.at} /></> },
              { name: t("trial.live_answer"), cell: (one) => <Said text={one.live_text} handedOffFor={one.live_handed_off_for} /> },
              { name: t("trial.trial_answer"), cell: (one) => <Tried answer={one} /> },
            ]}
          />
          <MoreButton isOffered={answers.hasMore} next={answers.next} />
        </>
      )}
    </Section>
  );
}

function Said({ text, handedOffFor }: { text: string | null | undefined; handedOffFor: string | null | undefined }) {
  return (
    <>
      {text && <p dir="auto">{text}</p>}
      {handedOffFor && <Badge kind="warn">{t("trial.to_people", { reason: handedOffFor })}</Badge>}
    </>
  );
}

function Tried({ answer }: { answer: Answer }) {
  if (answer.status === "begun") return <>{t("trial.being_made")}</>;
  if (answer.status === "failed") return <Badge kind="warn">{t("trial.failed_for", { reason: answer.reason ?? "" })}</Badge>;
  return (
    <>
      <Said text={answer.text} handedOffFor={answer.handed_off_for} />
      {answer.functions.includes("opt_out") && <Badge kind="warn">{t("trial.opted_out")}</Badge>}
      {answer.faults.length > 0 && <p class="quiet">{t("trial.faults", { faults: answer.faults.join(", ") })}</p>}
      {answer.not_called.length > 0 && <p class="quiet">{t("trial.not_called", { names: answer.not_called.join(", ") })}</p>}
    </>
  );
}
