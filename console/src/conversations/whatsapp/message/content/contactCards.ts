// The contact details in a message, as the provider sends them.

export interface ContactCard {
  name: string;
  details: string[]; // numbers and addresses
}

type Fields = Record<string, unknown>;

export function cardsOf(content: unknown): ContactCard[] {
  return listOf(content, "contacts").map((contact) => {
    const details = [...textsOf(contact, "phones", "phone"), ...textsOf(contact, "emails", "email")];
    const name = (contact["name"] as Fields | null | undefined)?.["formatted_name"];
    return { name: typeof name === "string" ? name : (details[0] ?? "-"), details };
  });
}

function textsOf(contact: Fields, list: string, field: string): string[] {
  const found = listOf(contact, list).map((one) => one[field]);
  return [...new Set(found.filter((one) => typeof one === "string"))];
}

function listOf(holder: unknown, name: string): Fields[] {
  const list = (holder as Fields | null)?.[name];
  return Array.isArray(list) ? list.filter((one): one is Fields => typeof one === "object" && one !== null) : [];
}
