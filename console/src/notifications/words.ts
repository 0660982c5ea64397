// What a notification says.

import { placeOf } from "../shell/router";
import { actor } from "../texts/format";
import { t, type Key } from "../texts/texts";
import type { News } from "../live/Attention";
import type { Campaign, Issue, Notification } from "./source";

// What a notification is about, other than a conversation.
export interface Subject {
  campaign?: Campaign | undefined;
  issue?: Issue | undefined;
}

// With what the person may read of the subject.
export function wordsOf({ kind, by, owner }: Notification, me: string | null, { campaign, issue }: Subject = {}): string {
  const who = by && /^(user|team):/.test(by) ? actor(by, me) : null;
  const team = owner.startsWith("team:") ? actor(owner, me) : null;
  if (kind === "assigned" && team) return t(who ? "notifications.assigned_team" : "notifications.given_team", { who: who ?? "", team });
  if (kind === "assigned") return t(who ? "notifications.assigned_by" : "notifications.given", { who: who ?? "" });
  if (kind === "mentioned") return t(team ? "notifications.mentioned_team" : "notifications.mentioned_by", { who: who ?? t("actor.software"), team: team ?? "" });
  if (kind === "campaign" && by) return t("notifications.campaign_cancelled", { who: who ?? t("actor.software") });
  if (issue && ["sent", "paused", "failed", "missed"].includes(issue.state)) return t(`notifications.ended.${issue.state}` as Key);
  return campaign ? resultOf(campaign) : t(`notifications.said.${kind}` as Key);
}

function resultOf({ status, totalRecipients, sent = 0, delivered = 0 }: Campaign): string {
  if (status === "completed") return t("notifications.campaign_over", { sent, delivered, left: Math.max(0, (totalRecipients ?? 0) - sent) });
  return status === "paused" ? t("notifications.campaign_stopped", { sent }) : t("notifications.said.campaign");
}

export function nameOf({ conversation, kind }: Notification, { campaign, issue }: Subject = {}): string {
  if (kind === "issue") return issue?.subject ?? t("notifications.issue");
  if (kind === "webhook") return t("notifications.webhook");
  if (kind === "campaign") return campaign?.name ?? t("notifications.campaign");
  if (!conversation) return t("notifications.gone");
  return conversation.contact ?? conversation.subject ?? conversation.handleText ?? t("notifications.conversation");
}

export function newsOf(found: readonly Notification[]): News[] {
  return found.flatMap((one) => {
    const place = placeIn(one);
    return place ? [{ title: nameOf(one), body: wordsOf(one, null), tag: one.id, place }] : [];
  });
}

// Where a click on a notification leads; null if its conversation does not exist any more.
export function placeIn({ campaign, issue, webhook, conversation }: Notification): string | null {
  if (campaign) return placeOf("campaigns", campaign);
  if (issue) return placeOf("newsletters", issue);
  if (webhook) return placeOf("operations", "webhooks");
  return conversation ? placeOf("all", conversation.context, conversation.key) : null;
}
