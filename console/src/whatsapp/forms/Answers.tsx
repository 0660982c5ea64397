// The answers of customers to a form, as they are stored: also in the conversation of each.

import { usePageList } from "../../api/pageList";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { Section, Table, Time } from "../../operations/sections";
import { t } from "../../texts/texts";
import { MoreButton } from "../../ui/controls";

type Response = Actions.ResponseView;

const PAGE = 25;

export function Answers({ waba, flowId, name }: { waba: string; flowId: string; name: string }) {
  const { client } = useApp();
  const answers = usePageList<Response>(
    async (cursor, signal) => {
      const answer = await client.call("POST /whatsapp/actions/get_flow_responses", { body: { flowId, metaWabaId: waba, limit: PAGE, ...(cursor && { cursor }) }, signal });
      return { items: answer.result.responses, cursor: answer.cursor };
    },
    [client, waba, flowId],
  );
  return (
    <Section title={t("forms.answers_of", { name })} about={t("forms.answers.about")} resource={answers.first}>
      {() => (
        <>
          <Table
            label={t("forms.answers_of", { name })}
            rows={answers.items}
            keyOf={({ responseId }) => responseId}
            empty={t(answers.hasMore ? "forms.answers.further" : "forms.answers.none")}
            columns={[
              { name: t("forms.answers.at"), cell: ({ completedAt }) => <Time at={completedAt} /> },
              { name: t("forms.answers.by"), cell: ({ customerPhone }) => <bdi dir="ltr">{/^\d+$/.test(customerPhone) ? `+${customerPhone}` : customerPhone}</bdi> },
              { name: t("forms.answers"), cell: ({ data }) => <Data data={data} /> },
            ]}
          />
          <MoreButton isOffered={answers.hasMore} next={answers.next} />
        </>
      )}
    </Section>
  );
}

function Data({ data }: { data: Record<string, unknown> }) {
  return (
    <dl class="wa-answers">
      {Object.entries(data).map(([field, value]) => (
        <div key={field}>
          <dt>
            <bdi>{field}</bdi>
          </dt>
          <dd dir="auto">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
