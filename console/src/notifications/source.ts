// The notifications of a person and their teams, as the API lists them.

import type { Client } from "../api/client";
import type { Actions, ConsoleApi, NewslettersApi } from "../api/routes";

export type Notifications = ConsoleApi.Notifications;
export type Notification = ConsoleApi.NotificationView;
export type Settings = ConsoleApi.NotificationSettings;
export type Campaign = Actions.CampaignView;
export type Issue = NewslettersApi.IssueView;
export type Kind = Notification["kind"];

export const KINDS: readonly Kind[] = ["assigned", "mentioned", "replied", "at_risk", "overdue", "draft", "campaign", "issue", "webhook"];
export const MOST = 50;

export async function load(client: Client, teams: readonly string[], kind: Kind | null, signal?: AbortSignal): Promise<Notifications> {
  const query = { limit: MOST, ...(teams.length ? { teams: teams.join(",") } : {}), ...(kind ? { kind } : {}) };
  return (await client.call("GET /inbox/notifications", { query, ...(signal ? { signal } : {}) })).result;
}
