// Whether the events of an account at AWS End User Messaging Social arrive: its one destination, and a test message.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Section, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { whereOffered } from "../offers";

export function Destination({ account }: { account: Account }) {
  const { client } = useApp();
  const body = { metaWabaId: account.waba };
  const [result, setResult] = useState<Actions.Tested | null>(null);
  const found = useResource(async (signal) => ({ asked: (await whereOffered(client.call("POST /whatsapp/actions/get_event_destinations", { body, signal })))?.result ?? null }), [client, account.waba]);
  const test = useAction(async () => setResult((await client.call("POST /whatsapp/actions/test_event_destination", { body })).result));
  return (
    <Section title={t("destination.title")} about={t("destination.about")} resource={found}>
      {({ asked }) => asked === null ? <p class="notice">{t("destination.no_id")}</p> : (
        <>
          <Table
            label={t("destination.title")}
            rows={asked.destinations}
            keyOf={({ snsTopicArn }) => snsTopicArn}
            empty={t("destination.none")}
            columns={[
              { name: t("destination.topic"), cell: ({ snsTopicArn }) => <code dir="ltr">{snsTopicArn}</code> },
              { name: t("ops.state"), cell: ({ isOurs }) => <Badge kind={isOurs ? "good" : "danger"}>{t(isOurs ? "destination.ours" : "destination.elsewhere")}</Badge> },
            ]}
          />
          {test.error && <ErrorNotice error={test.error} onRetry={() => void test.run()} />}
          <div class="ops-editor-end">
            <Button busy={test.busy} onClick={() => void test.run()}>
              {t("destination.test")}
            </Button>
            <span role="status">{result && t(result.seen ? "destination.test.passed" : "destination.test.failed")}</span>
          </div>
        </>
      )}
    </Section>
  );
}
