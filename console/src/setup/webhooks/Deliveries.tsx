// The deliveries of a webhook that were tried in the last 30 days; one can be sent again.

import { usePageList } from "../../api/pageList";
import { useAction } from "../../api/resource";
import type { ConsoleApi } from "../../api/routes";
import { useApp } from "../../app";
import { Section, Table, Time } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, MoreButton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import type { Webhook } from "./WebhooksPage";

type Delivery = ConsoleApi.DeliveryView;

const KINDS = { delivered: "info", waiting: "warn", failed: "danger", dropped: "plain" } as const;
const A_PAGE = 25;

export function Deliveries({ row }: { row: Webhook }) {
  const { client } = useApp();
  const path = { webhook_id: row.webhookId };
  const list = usePageList(
    async (cursor, signal) => {
      const answer = await client.call("GET /inbox/webhooks/{webhook_id}/deliveries", { path, query: { limit: A_PAGE, cursor }, signal });
      return { items: answer.result.deliveries, cursor: answer.cursor };
    },
    [client, row.webhookId],
  );
  const title = t("webhooks.deliveries_of", { name: row.name });
  return (
    <Section title={title} about={t("webhooks.log")} resource={list.first}>
      {() => (
        <>
          <Table
            label={title}
            rows={list.items}
            keyOf={(one) => one.deliveryId}
            empty={t("webhooks.no_deliveries")}
            columns={[
              { name: t("ops.at"), cell: (one) => <Time at={one.at} /> },
              { name: t("webhooks.event"), cell: (one) => <Event one={one} /> },
              { name: t("ops.state"), cell: (one) => <Result one={one} /> },
              { name: t("webhooks.attempts"), isNumber: true, cell: (one) => one.attempts },
              { name: t("ops.action"), cell: (one) => row.state === "active" && <Again webhook={row.webhookId} one={one} onDone={list.reload} /> },
            ]}
          />
          <MoreButton isOffered={list.hasMore} next={list.next} />
        </>
      )}
    </Section>
  );
}

function Event({ one }: { one: Delivery }) {
  return (
    <>
      {t(`webhooks.type.${one.type}`)}
      <p class="quiet" dir="ltr">
        {one.eventId}
      </p>
    </>
  );
}

function Result({ one }: { one: Delivery }) {
  return (
    <>
      <Badge kind={KINDS[one.result]}>{t(`webhooks.result.${one.result}`)}</Badge>
      {one.status && <p class="quiet">HTTP {one.status}</p>}
      {one.problem && <p class="quiet">{named("webhooks.problem", one.problem)}</p>}
      {one.nextAt && (
        <p class="quiet">
          {t("webhooks.next")} <Time at={one.nextAt} />
        </p>
      )}
    </>
  );
}

function Again({ webhook, one, onDone }: { webhook: string; one: Delivery; onDone: () => Promise<void> }) {
  const { client } = useApp();
  const again = useAction(async () => {
    await client.call("POST /inbox/webhooks/{webhook_id}/deliveries/{delivery_id}/resend", { path: { webhook_id: webhook, delivery_id: one.deliveryId }, body: {} });
    showToast(t("webhooks.resent"));
    await onDone();
  });
  return (
    <>
      {again.error && <ErrorNotice error={again.error} />}
      <Button busy={again.busy} label={t("webhooks.again_of", { id: one.eventId })} onClick={() => void again.run()}>
        {t("webhooks.again")}
      </Button>
    </>
  );
}
