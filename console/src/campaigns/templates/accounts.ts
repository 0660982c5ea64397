// The accounts of the company's numbers, and their templates, which Meta or AWS keeps.

import type { Client } from "../../api/client";
import type { Actions } from "../../api/routes";
import type { Template } from "../../conversations/whatsapp/templateParts";
import { isolated } from "../../texts/texts";
import { numbersOf, templatesOf, type Numbers } from "../source";

export interface Account {
  waba: string; // Meta's id
  isAtAws: boolean;
  phones: string[]; // as people write them
  numbers: Numbers;
}

export async function accountsOf(client: Client, signal: AbortSignal): Promise<Account[]> {
  const found = new Map<string, Account>();
  for (const number of await numbersOf(client, signal)) {
    const { waba, provider, displayText } = number;
    if (!waba) continue;
    const known = found.get(waba) ?? { waba, isAtAws: provider === "eum", phones: [], numbers: [] };
    found.set(waba, { ...known, phones: [...known.phones, isolated(displayText)], numbers: [...known.numbers, number] });
  }
  return [...found.values()];
}

export async function listOf(client: Client, { waba }: Account, signal: AbortSignal): Promise<Template[]> {
  return templatesOf(client, waba, null, signal);
}

export async function syncTemplates(client: Client, { waba, isAtAws }: Account): Promise<void> {
  const body = { metaWabaId: waba };
  await (isAtAws ? client.call("POST /whatsapp/actions/eum_sync_templates", { body }) : client.call("POST /whatsapp/actions/sync_templates_meta", { body }));
}

export async function createTemplate(client: Client, { waba, isAtAws }: Account, given: Omit<Actions.CreateMetaTemplate, "metaWabaId">, key: string): Promise<void> {
  const body = { ...given, metaWabaId: waba };
  await (isAtAws ? client.call("POST /whatsapp/actions/eum_create_template", { body, key }) : client.call("POST /whatsapp/actions/create_template_meta", { body, key }));
}

export async function deleteTemplate(client: Client, { waba, isAtAws }: Account, { name, language, id }: Template): Promise<void> {
  if (!isAtAws) await client.call("POST /whatsapp/actions/delete_template_meta", { body: { metaWabaId: waba, name, language } });
  else await client.call("POST /whatsapp/actions/eum_delete_template", { body: { metaWabaId: waba, templateName: name, ...(id ? { metaTemplateId: id } : {}) } });
}
