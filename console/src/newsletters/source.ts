// What the pages of newsletters read and send.

import type { Client } from "../api/client";
import type { ConsoleApi, NewslettersApi } from "../api/routes";
import { keepDraft } from "../conversations/drafts";
import { locale, named, t, type Key } from "../texts/texts";
import type { Draft } from "../ui/draft";
import { showToast } from "../ui/toastList";

export type Newsletter = NewslettersApi.NewsletterView;
export type Metadata = NewslettersApi.MetadataView;
export type Summary = NewslettersApi.NewsletterSummary;
export type Issue = NewslettersApi.IssueView;
export type Checklist = NewslettersApi.Checklist;
export type Stats = NewslettersApi.StatsView;
export type Series = NewslettersApi.SeriesView;
export type PublicList = NewslettersApi.PublicListView;
export type Look = NewslettersApi.TemplateView;
export type Warning = NewslettersApi.EditorWarning;
export type Reference = NewslettersApi.Reference;
export type Step = "topics" | "outline" | "draft";

export const PLACE = "newsletters";
export const STEPS = ["plan", "topics", "outline", "draft", "review", "exports", "send"] as const;
export type Page = (typeof STEPS)[number];

export function isIssue(id: string): boolean {
  return id.startsWith("IS-");
}

// The page that a newsletter is opened at: behind its last step with content.
export function pageOf({ topics, outline, draft }: Newsletter): Page {
  if (draft.is_usable || outline.is_usable) return "draft";
  if (topics.is_usable) return "outline";
  return topics.selected_types.length ? "topics" : "plan";
}

// Which pages have what they are for.
export function doneOf({ metadata, topics, outline, draft }: Newsletter): Record<Page, boolean> {
  return {
    plan: metadata.target_audience.length > 0,
    topics: topics.is_usable,
    outline: outline.is_usable,
    draft: draft.is_usable,
    review: metadata.review?.state === "approved" && !metadata.review.is_outdated,
    exports: metadata.status === "exported",
    send: false,
  };
}

// The values of a configuration; names of the company's own are shown as they are.
export async function optionsOf(client: Client, signal: AbortSignal) {
  return (await client.call("GET /newsletters/options", { signal })).result.options;
}

export type Options = Awaited<ReturnType<typeof optionsOf>>;

export function optionText(field: string, { value = "", label }: Record<string, string>): string {
  const known = named(`newsletter.option.${field}`, value);
  return known === value.replaceAll("_", " ") ? (label ?? known) : known;
}

export interface Audiences {
  lists: ConsoleApi.ContactListView[];
  segments: ConsoleApi.SegmentView[];
  published: PublicList[];
}

export async function audiencesOf(client: Client, signal: AbortSignal): Promise<Audiences> {
  const [lists, segments, published] = await Promise.all([
    client.call("GET /contacts/lists", { signal }),
    client.call("GET /contacts/segments", { signal }),
    client.call("GET /newsletters/lists", { signal }),
  ]);
  return { lists: lists.result.lists, segments: segments.result.segments, published: published.result.lists };
}

// A failure of a step or an export in words.
export function failureText(code: string | null | undefined, sentence: string | null | undefined): string {
  const known = named("newsletter.failure", code ?? "");
  return known === (code ?? "").replaceAll("_", " ") ? (sentence ?? known) : known;
}

// A day of UTC, the same in every zone.
export function utcDay(at: string): string {
  return new Date(at).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" });
}

// Why a new domain may not send more today than on the day before; empty without a reason.
export function lowerLimit({ reason }: { reason?: string | null }): string {
  return reason ? ` ${named("newsletter.warm_up.reason", reason)}` : "";
}

export function stored(): void {
  showToast(t("newsletter.stored"));
}

// Removes what was typed in a form and is not stored; it can be put back for some seconds.
export function discard(form: string, { text, write }: Draft): void {
  write("");
  showToast(t("undo.discarded"), async () => keepDraft(form, text));
}

export function stepName(page: Page): string {
  return t(`newsletter.step.${page}` as Key);
}

// A reason of newsletters, or of the send policy.
export function whyOf(reason: string): string {
  const known = named("newsletter.reason", reason);
  return known === reason.replaceAll("_", " ") ? named("reason", reason) : known;
}
