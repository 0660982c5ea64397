// What is entered for a new project, and the call that it becomes. Pure.

import type { Actions, ConversationsAdmin } from "../../api/routes";

export interface Entered {
  name: string;
  id: string;
  provider: "bedrock" | "openai";
  model: string;
  secret: string;
  number: string; // Meta's id of the chosen number
  email: string;
  sender: string;
  sms: string;
  language: string;
  zone: string;
  inbound: boolean;
}

export function none(language: string, zone: string): Entered {
  return { name: "", id: "", provider: "bedrock", model: "", secret: "", number: "", email: "", sender: "", sms: "", language, zone, inbound: true };
}

// What was kept as a text; a field that it lacks, or of another type, has its first value.
export function kept(text: string, first: Entered): Entered {
  let found: unknown = null;
  try {
    found = JSON.parse(text || "null");
  } catch {
    return first;
  }
  if (typeof found !== "object" || found === null) return first;
  const known = Object.entries(found).filter(([name, value]) => typeof value === typeof first[name as keyof Entered]);
  return { ...first, ...Object.fromEntries(known) };
}

// An id made of a name: `Clarify CV` becomes `clarify-cv`.
export function idOf(name: string): string {
  const plain = name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-|-$/g, "").slice(0, 64);
}

export function bodyOf(entered: Entered, phones: readonly Actions.PhoneView[]): ConversationsAdmin.ProjectInput {
  const phone = phones.find(({ phoneNumberId }) => phoneNumberId === entered.number);
  const email = entered.email.trim().toLowerCase();
  const sms = entered.sms.replace(/[\s()-]/g, "");
  const isOpenAi = entered.provider === "openai";
  return {
    project_name: entered.name.trim(),
    ai_config: { provider: entered.provider, model: entered.model.trim(), api_key_reference: isOpenAi ? entered.secret.trim() : null },
    channel_config: {
      whatsapp: phone ? numberOf(phone) : null,
      email: email ? { company_email: email, email_from_name: entered.sender.trim() || null } : null,
      sms: sms ? { provider: "aws_sms", company_sms_number: sms } : null,
    },
    default_language: entered.language.trim(),
    timezone: entered.zone.trim(),
    accept_inbound: entered.inbound,
  };
}

// AWS names a number by the last part of its ARN.
function numberOf(phone: Actions.PhoneView): ConversationsAdmin.WhatsAppInput {
  const isAws = phone.provider === "eum";
  return {
    provider: isAws ? "aws_social" : "meta",
    company_whatsapp_number: phone.displayPhoneNumber,
    phone_number_id: isAws ? `phone-number-id-${phone.phoneArn.split("/").at(-1)}` : phone.phoneNumberId,
    account: phone.metaWabaId,
    whatsapp_credentials_id: (!isAws && phone.graphTokenSecret) || null,
  };
}
