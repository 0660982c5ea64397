// The parts of a WhatsApp template that have variables.

import type { Client } from "../../api/client";
import type { Actions } from "../../api/routes";

export type Template = Actions.TemplateView;

interface Component {
  type?: string;
  format?: string;
  text?: string;
  buttons?: { text?: string; url?: string }[];
}

const VARIABLE = /{{\s*(\w+)\s*}}/g;

export function namesIn(text: string): string[] {
  return [...new Set([...text.matchAll(VARIABLE)].map((match) => match[1]!))];
}

export function filled(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (variable, name: string) => valueOf(name) || variable);
}

export function bodyOf(template: Template): string {
  return componentOf(template, "BODY")?.text ?? "";
}

export function headerOf(template: Template): string {
  return componentOf(template, "HEADER")?.text ?? "";
}

// IMAGE, VIDEO or DOCUMENT, whose file each send names; null for a text or none.
export function fileKindOf(template: Template): string | null {
  const format = componentOf(template, "HEADER")?.format ?? "TEXT";
  return format === "TEXT" ? null : format;
}

// The buttons whose address has a variable, with their positions.
export function buttonsOf(template: Template): { at: number; text: string }[] {
  const buttons = componentOf(template, "BUTTONS")?.buttons ?? [];
  return buttons.flatMap(({ text, url }, at) => (namesIn(url ?? "").length ? [{ at, text: text ?? "" }] : []));
}

function componentOf(template: Template, type: string): Component | undefined {
  return ((template.components ?? []) as Component[]).find((component) => component.type === type);
}

// AWS lists templates without their content.
export async function completed(client: Client, metaWabaId: string, template: Template, signal: AbortSignal): Promise<Template> {
  if (template.components) return template;
  const body = { metaWabaId, templateName: template.name, language: template.language };
  return (await client.call("POST /whatsapp/actions/eum_get_template", { body, signal })).result;
}
