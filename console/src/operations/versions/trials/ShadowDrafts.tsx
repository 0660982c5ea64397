// What a version in shadow drafted beside the live one, mail by mail.

import type { EmailThreadsApi } from "../../../api/routes";
import { usePageList } from "../../../api/pageList";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, MoreButton } from "../../../ui/controls";
import { Section, Table, Time } from "../../sections";

type Draft = EmailThreadsApi.ShadowDraftView;

const MOST = 20;

export function ShadowDrafts({ address, trialId }: { address: string; trialId: string }) {
  const { client } = useApp();
  const drafts = usePageList(
    async (cursor, signal) => {
      const path = { address, trial_id: trialId };
      const page = await client.call("GET /email-mailboxes/{address}/trials/{trial_id}/drafts", { path, query: { limit: MOST, cursor }, signal });
      return { items: page.result.drafts, cursor: page.cursor };
    },
    [client, address, trialId],
  );
  return (
    <Section title={t("trial.compared")} about={t("trial.mail.compared_about")} resource={drafts.first}>
      {() => (
        <>
          <Table
            label={t("trial.compared")}
            rows={drafts.items}
            keyOf={(one) => `${one.conversation_id} ${one.n}`}
            empty={t("trial.no_answers")}
            columns={[
              { name: t("trial.customer"), cell: (one) => <><p dir="auto">{one.customer_text}</p><Time at={one.at} /></> },
              { name: t("trial.mail.live_draft"), cell: (one) => <Live draft={one} /> },
              { name: t("trial.trial_answer"), cell: (one) => <Tried draft={one} /> },
            ]}
          />
          <MoreButton isOffered={drafts.hasMore} next={drafts.next} />
        </>
      )}
    </Section>
  );
}

function Live({ draft }: { draft: Draft }) {
  return (
    <>
      {draft.live_text && <p dir="auto">{draft.live_text}</p>}
      {!draft.live_text && !draft.live_handed_off && t("trial.not_stored")}
      {draft.live_handed_off && <Badge kind="warn">{t("trial.mail.to_people")}</Badge>}
    </>
  );
}

function Tried({ draft }: { draft: Draft }) {
  if (draft.status === "begun") return <>{t("trial.being_made")}</>;
  if (draft.status === "failed") return <Badge kind="warn">{t("trial.failed_for", { reason: draft.reason ?? "" })}</Badge>;
  const isForPeople = draft.needs_human || draft.text == null;
  return (
    <>
      {draft.text && <p dir="auto">{draft.text}</p>}
      {isForPeople && <Badge kind="warn">{t("trial.mail.to_people")}</Badge>}
      {!isForPeople && draft.waits && <p class="quiet">{t("try_mail.waits", { reason: draft.waits.replaceAll("_", " ") })}</p>}
    </>
  );
}
