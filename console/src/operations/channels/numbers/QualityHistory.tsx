// How customers rated a number over time, and how many customers its portfolio may write to first now.

import { usePageList } from "../../../api/pageList";
import { useResource } from "../../../api/resource";
import type { Actions } from "../../../api/routes";
import { useApp } from "../../../app";
import { named, t } from "../../../texts/texts";
import { ErrorNotice, MoreButton, Skeleton } from "../../../ui/controls";
import { count, Table, Time } from "../../sections";

type Rating = Actions.Rating;

const PAGE = 25;

export function QualityHistory({ phone }: { phone: string }) {
  const { client } = useApp();
  const limits = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_messaging_limits", { body: { phone }, signal })).result, [client, phone]);
  const ratings = usePageList<Rating>(
    async (cursor, signal) => {
      const answer = await client.call("POST /whatsapp/actions/get_quality", { body: { phone, history: true, limit: PAGE, ...(cursor && { cursor }) }, signal });
      return { items: answer.result.history ?? [], cursor: answer.cursor };
    },
    [client, phone],
  );
  const stored = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_quality", { body: { phone, limit: 1 }, signal })).result.phones?.[0]?.limitHistory ?? [], [client, phone]);
  const now = limits.value;
  const isUnread = limits.error?.code === "not_configured";
  return (
    <>
      {isUnread && <p class="notice">{t("ops.numbers.limits.unread")}</p>}
      {limits.error && !isUnread && <ErrorNotice error={limits.error} onRetry={() => void limits.reload()} />}
      {now && (
        <p>
          {t("ops.numbers.limit")}: <b>{now.messagingLimit ? named("ops.numbers.limit", now.messagingLimit) : t("ops.unknown")}</b>
          {typeof now.reached === "number" && <> {t("ops.numbers.reached", { count: count(now.reached) })}</>}
        </p>
      )}
      {ratings.first.error && <ErrorNotice error={ratings.first.error} onRetry={() => void ratings.reload()} />}
      {ratings.first.value === null ? (
        !ratings.first.error && <Skeleton rows={2} kind="row" />
      ) : (
        <Table
          label={t("ops.numbers.history")}
          rows={ratings.items}
          keyOf={({ at, rating }) => `${at} ${rating}`}
          empty={t("ops.numbers.history.none")}
          columns={[
            { name: t("ops.numbers.history.at"), cell: ({ at }) => <Time at={at} /> },
            { name: t("ops.numbers.quality"), cell: ({ rating }) => (rating ? named("ops.numbers.quality", rating) : t("ops.unknown")) },
          ]}
        />
      )}
      <MoreButton isOffered={ratings.hasMore} next={ratings.next} />
      {stored.error && <ErrorNotice error={stored.error} onRetry={() => void stored.reload()} />}
      {stored.value && (
        <Table
          label={t("ops.numbers.limits")}
          rows={stored.value}
          keyOf={({ at }) => at}
          empty={t("ops.numbers.limits.none")}
          columns={[
            { name: t("ops.numbers.history.at"), cell: ({ at }) => <Time at={at} /> },
            { name: t("ops.numbers.limits.limit"), cell: ({ limit }) => named("ops.numbers.limit", limit) },
          ]}
        />
      )}
    </>
  );
}
