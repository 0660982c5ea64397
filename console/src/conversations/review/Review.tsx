// What waits for a person's review: drafts of e-mails, and first messages of AI conversations.

import { useState } from "preact/hooks";
import { REVIEW } from "../ai/conversationState";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { actor, when } from "../../texts/format";
import { Conversation } from "../../inbox/Conversation";
import { CHANNEL_ICONS } from "../../inbox/InboxRow";
import type { Context } from "../../inbox/source";
import { placeOf } from "../../shell/router";
import { named, t, type Key } from "../../texts/texts";
import { Icon, type IconName } from "../../ui/icons";
import { Badge, Empty, ErrorNotice, MoreButton, Skeleton } from "../../ui/controls";

const QUEUES = ["drafts", "first"] as const;
type Queue = (typeof QUEUES)[number];

interface Item {
  context: Context;
  key: string; // of the conversation
  id: string;
  icon: IconName;
  title: string;
  text: string;
  at: string;
  isStale: boolean;
}

interface Page {
  items: Item[];
  cursor: string | null;
}

const POLL_MS = 30_000;

export function Review({ context, conversation }: { context: string | null; conversation: string | null }) {
  const [queue, setQueue] = useState<Queue>(context === "conversations" ? "first" : "drafts");
  const isOpen = context !== null && conversation !== null;
  return (
    <div class={`inbox ${isOpen ? "inbox-open" : ""}`}>
      <section class="list" aria-label={t("review.list")}>
        <header class="list-head">
          <h1>{t("nav.review")}</h1>
          <div class="tabs" role="group" aria-label={t("inbox.filter")}>
            {QUEUES.map((name) => (
              <button key={name} type="button" class="tab" aria-pressed={name === queue} onClick={() => setQueue(name)}>
                {t(`review.${name}` as Key)}
              </button>
            ))}
          </div>
        </header>
        <Items key={queue} queue={queue} open={conversation} />
      </section>
      {isOpen ? (
        <Conversation key={`${context}/${conversation}`} context={context as Context} id={conversation} back="review" />
      ) : (
        <main class="pane pane-empty">
          <Empty icon="check" title={t("review.choose")} />
        </main>
      )}
    </div>
  );
}

function Items({ queue, open }: { queue: Queue; open: string | null }) {
  const { client } = useApp();
  const load = async (cursor: string | null, signal: AbortSignal): Promise<Page> => {
    if (queue === "drafts") {
      const page = await client.call("GET /email-threads/drafts", { query: { limit: 50, cursor }, signal });
      const items = page.result.drafts.map((draft) => ({
        context: "email_threads" as const,
        key: draft.conversation_id,
        id: draft.reply_id,
        icon: "mail" as const,
        title: draft.subject,
        text: [draft.origin === "ai" ? t("actor.model") : actor(draft.origin, null), draft.to.join(", ")].join(" → "),
        at: draft.updated_at,
        isStale: draft.is_stale === true,
      }));
      return { items, cursor: page.cursor };
    }
    const page = await client.call("GET /conversations", { query: { status: "handoff_pending", limit: 100, cursor }, signal });
    const items = page.result.conversations
      .filter((one) => one.hand_off_to_human_reason === REVIEW)
      .map((one) => ({
        context: "conversations" as const,
        key: one.ref,
        id: one.ref,
        icon: CHANNEL_ICONS[one.channel_method as "sms"] ?? "robot",
        title: one.project_id,
        text: named("reason", REVIEW),
        at: one.since,
        isStale: false,
      }));
    return { items, cursor: page.cursor };
  };
  const first = useResource((signal) => load(null, signal), [client, queue], POLL_MS);
  const [more, setMore] = useState<Page | null>(null);
  const cursor = more ? more.cursor : (first.value?.cursor ?? null);
  const next = useAction(async () => {
    const page = await load(cursor, new AbortController().signal);
    setMore({ items: [...(more?.items ?? []), ...page.items], cursor: page.cursor });
  });
  if (first.value === null && first.error) return <ErrorNotice error={first.error} onRetry={() => void first.reload()} />;
  if (first.value === null) return <Skeleton rows={6} kind="row" />;
  const items = [...new Map([...first.value.items, ...(more?.items ?? [])].map((item) => [item.id, item])).values()];
  return (
    <div class="list-rows">
      {first.error && <ErrorNotice error={first.error} onRetry={() => void first.reload()} />}
      {items.length === 0 ? (
        <Empty icon="check" title={t("review.empty")} />
      ) : (
        <ul>
          {items.map((item) => (
            <li key={item.id}>
              <a class="row" href={placeOf("review", item.context, item.key)} aria-current={item.key === open ? "true" : undefined}>
                <Icon name={item.icon} />
                <span class="row-body">
                  <span class="row-top">
                    <span class="row-title" dir="auto">{item.title}</span>
                    <time class="row-time" dateTime={item.at}>
                      {when(item.at)}
                    </time>
                  </span>
                  <span class="row-preview" dir="auto">{item.text}</span>
                  {item.isStale && <Badge kind="warn">{t("draft.stale")}</Badge>}
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <MoreButton isOffered={cursor !== null} next={next} />
    </div>
  );
}
