// What a person has entered of a new template, and its request in Meta's structure. Pure.

import type { Actions } from "../../api/routes";
import { namesIn } from "../../conversations/whatsapp/templateParts";

export const CATEGORIES = ["UTILITY", "MARKETING"] as const;
export const LANGUAGES = ["en_US", "en_GB", "de", "fr", "es", "it", "nl", "pt_BR", "pt_PT", "ar", "tr", "pl", "ru", "uk", "hi", "id", "zh_CN", "ja", "ko"] as const;
export const MOST_REPLIES = 3;

export interface Entered {
  waba: string;
  name: string;
  language: string;
  category: (typeof CATEGORIES)[number];
  header: string;
  body: string;
  footer: string;
  examples: Record<string, string>; // by variable of the body
  replies: string[];
}

const EMPTY: Entered = { waba: "", name: "", language: "en_US", category: "UTILITY", header: "", body: "", footer: "", examples: {}, replies: [] };

export function kept(text: string): Entered {
  try {
    return { ...EMPTY, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return EMPTY; // of another version of the page
  }
}

export function variablesIn({ body }: Entered): string[] {
  return namesIn(body);
}

export function isComplete(from: Entered): boolean {
  return Boolean(from.name && from.body.trim() && namesIn(from.header).length === 0 && variablesIn(from).every((name) => from.examples[name]?.trim()));
}

export function requestOf(from: Entered): Omit<Actions.CreateMetaTemplate, "metaWabaId"> {
  const names = variablesIn(from);
  const isNamed = names.some((name) => !/^\d+$/.test(name));
  const exampleOf = (name: string) => from.examples[name]?.trim() ?? "";
  const ordered = [...names].sort((one, other) => Number(one) - Number(other)).map(exampleOf);
  const example = isNamed ? { body_text_named_params: names.map((name) => ({ param_name: name, example: exampleOf(name) })) } : { body_text: [ordered] };
  const replies = from.replies.map((text) => text.trim()).filter(Boolean);
  return {
    name: from.name,
    language: from.language,
    category: from.category,
    ...(isNamed ? { parameterFormat: "named" as const } : {}),
    components: [
      ...(from.header.trim() ? [{ type: "HEADER", format: "TEXT", text: from.header.trim() }] : []),
      { type: "BODY", text: from.body.trim(), ...(names.length ? { example } : {}) },
      ...(from.footer.trim() ? [{ type: "FOOTER", text: from.footer.trim() }] : []),
      ...(replies.length ? [{ type: "BUTTONS", buttons: replies.map((text) => ({ type: "QUICK_REPLY", text })) }] : []),
    ],
  };
}
