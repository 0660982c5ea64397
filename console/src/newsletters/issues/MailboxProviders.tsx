// The counts of an issue by mailbox provider, and the limit of a new domain.

import { count, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { lowerLimit, utcDay, type Stats } from "../source";

const COUNTS = ["waiting", "sent", "delivered", "delayed", "bounced", "complained"] as const;

export function MailboxProviders({ stats }: { stats: Stats }) {
  return (
    <>
      {stats.warm_up && <p class="notice">{t("newsletter.warm_up.now", { domain: stats.warm_up.domain, limit: count(stats.warm_up.limit), sent: count(stats.warm_up.sent_today), day: utcDay(stats.warm_up.ends_on) })}{lowerLimit(stats.warm_up)}</p>}
      <h3>{t("newsletter.providers")}</h3>
      <Table
        label={t("newsletter.providers")}
        rows={stats.mailbox_providers.filter((one) => COUNTS.some((name) => one[name] > 0))}
        keyOf={(one) => one.mailbox_provider}
        empty={t("newsletter.providers.none")}
        columns={[
          { name: t("newsletter.provider"), cell: ({ mailbox_provider }) => t(`newsletter.provider.${mailbox_provider}`) },
          ...COUNTS.map((name) => ({ name: t(`newsletter.result.${name}`), cell: (one: Stats["mailbox_providers"][number]) => count(one[name]) })),
        ]}
      />
    </>
  );
}
