// What the pages of campaigns read, keep and send.

import type { Client } from "../api/client";
import type { Actions } from "../api/routes";
import type { Definition } from "../contacts/source";
import { bodyOf, buttonsOf, headerOf, namesIn, type Template } from "../conversations/whatsapp/templateParts";
import { t, type Key } from "../texts/texts";

export type Campaign = Actions.CampaignView;
export type Plan = { counts: Record<string, number>; cost: Actions.CostView | null; isExact: boolean };
export type Recipient = Actions.RecipientView;
export type Numbers = Awaited<ReturnType<typeof numbersOf>>;
export type Audience = { kind: "list" | "segment"; id: string; name: string };

export const CONTACT_FIELDS = ["name", "givenNames", "organisation", "language", "zone"] as const;
const ATTRIBUTE = "attributes.";
const MOST = 100;

export async function numbersOf(client: Client, signal: AbortSignal) {
  return (await client.call("GET /whatsapp/numbers", { signal })).result.numbers;
}

// Templates of the account on all pages. *status*: only these.
export async function templatesOf(client: Client, metaWabaId: string, status: "APPROVED" | null, signal: AbortSignal): Promise<Template[]> {
  const found: Template[] = [];
  let cursor: string | null = null;
  do {
    const body = { metaWabaId, limit: MOST, ...(status ? { status } : {}), ...(cursor ? { cursor } : {}) };
    const page: { result: Actions.TemplatesView; cursor: string | null } = await client.call("POST /whatsapp/actions/get_local_templates", { body, signal });
    found.push(...page.result.templates);
    cursor = page.cursor;
  } while (cursor);
  return found;
}

export async function audiencesOf(client: Client, signal: AbortSignal): Promise<Audience[]> {
  const [lists, segments] = await Promise.all([client.call("GET /contacts/lists", { signal }), client.call("GET /contacts/segments", { signal })]);
  return [
    ...lists.result.lists.map(({ listId, name }): Audience => ({ kind: "list", id: listId, name })),
    ...segments.result.segments.map(({ segmentId, name }): Audience => ({ kind: "segment", id: segmentId, name })),
  ];
}

export async function fieldsOf(client: Client, signal: AbortSignal): Promise<Definition[]> {
  return (await client.call("GET /attributes", { signal })).result.attributes;
}

// The value of a variable of the body: a field of the contact, with a text for people without it.
export interface Choice {
  field: string;
  fallback: string;
}

// The test of a second template, as a person has entered it.
export interface TrialEntered {
  isOn: boolean;
  template: string; // name and language
  choices: Record<string, Choice>;
  measure: "delivered" | "read" | "replied";
  share: string;
  minimum: string;
  hours: string;
  confidence: string;
  decision: "rule" | "person";
}

// What a person has entered; it outlives a reload.
export interface Entered {
  name: string;
  phone: string;
  template: string; // name and language
  audience: string; // kind and id
  choices: Record<string, Choice>; // by the variable of the body
  fixed: Record<string, string>; // `header`, and `button 0` by its position
  at: string; // of the day and time field; empty: when it is started
  pace: string;
  trial: TrialEntered;
}

const NO_TRIAL: TrialEntered = { isOn: false, template: "", choices: {}, measure: "read", share: "20", minimum: "100", hours: "24", confidence: "95", decision: "rule" };

export const EMPTY: Entered = { name: "", phone: "", template: "", audience: "", choices: {}, fixed: {}, at: "", pace: "", trial: NO_TRIAL };

export function kept(text: string): Entered {
  try {
    return { ...EMPTY, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return EMPTY; // of another version of the page
  }
}

export function idOf({ name, language }: Template): string {
  return `${name}/${language}`;
}

export function choiceOf({ choices }: Entered, name: string): Choice {
  return choices[name] ?? { field: "name", fallback: "" };
}

// In the order of their numbers, or as they are in the text.
export function variablesOf(template: Template): string[] {
  const names = namesIn(bodyOf(template));
  return names.every((name) => /^\d+$/.test(name)) ? names.sort((one, other) => Number(one) - Number(other)) : names;
}

// The same for all recipients: the header's variable and the ends of addresses of buttons.
export function fixedOf(template: Template): { id: string; text: string | null }[] {
  const header = namesIn(headerOf(template)).length ? [{ id: "header", text: null }] : [];
  return [...header, ...buttonsOf(template).map(({ at, text }) => ({ id: `button ${at}`, text }))];
}

// In Meta's structure; the values of the body differ by recipient.
export function componentsOf(from: Entered, template: Template) {
  return fixedOf(template).map(({ id }) => {
    const parameters = [{ type: "text", text: from.fixed[id]?.trim() ?? "" }];
    return id === "header" ? { type: "header", parameters } : { type: "button", sub_type: "url", index: id.slice("button ".length), parameters };
  });
}

export function nameOfField(field: string): string {
  return field.startsWith(ATTRIBUTE) ? field.slice(ATTRIBUTE.length) : t(`segment.field.${field}` as Key);
}

function fieldsIn(from: Entered, template: Template) {
  return variablesOf(template).map((name) => {
    const { field, fallback } = choiceOf(from, name);
    return { field, ...(fallback.trim() ? { default: fallback.trim() } : {}) };
  });
}

// *second*: the other template of a test.
export function requestOf(from: Entered, template: Template, number: Numbers[number], second: Template | null): Actions.CreateCampaign {
  const [kind, id] = from.audience.split("/") as ["list" | "segment", string];
  const components = componentsOf(from, template);
  return {
    campaignName: from.name.trim(),
    phone: number.phone,
    templateName: template.name,
    language: template.language,
    audience: kind === "list" ? { list: id } : { segment: id },
    bodyFields: fieldsIn(from, template),
    ...(from.trial.isOn && second ? { test: testOf(from, second) } : {}),
    ...(components.length ? { components } : {}),
    ...(from.at ? { scheduledAt: new Date(from.at).toISOString() } : {}),
    ...(from.pace ? { messagesPerSecond: Number(from.pace) } : {}),
  };
}

function testOf(from: Entered, second: Template): Actions.TestInput {
  const { choices, measure, share, minimum, hours, confidence, decision } = from.trial;
  return {
    template: { templateName: second.name, language: second.language, bodyFields: fieldsIn({ ...from, choices }, second) },
    measure,
    share: Number(share),
    minimum: Number(minimum),
    hours: Number(hours),
    confidence: Number(confidence) as 95,
    decision,
  };
}
