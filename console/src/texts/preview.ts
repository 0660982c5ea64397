// Shows the marks of the API in the language of the person.

import { marksOf, type Mark } from "./marks";
import { named, t } from "./texts";

// Texts without marks, and with marks that are not known, stay as they are.
export function previewText(text: string): string {
  const { marks, rest } = marksOf(text);
  const names = marks.map(nameOf);
  if (names.length === 0 || names.includes(null)) return text;
  return [names.join(" · "), rest].filter(Boolean).join(": ");
}

function nameOf({ name, detail }: Mark): string | null {
  const shown = ["mark", "type"].map((prefix) => named(prefix, name)).find((one) => one !== name.replaceAll("_", " "));
  if (!shown) return null;
  return detail ? `${shown}, ${detail === "not answered" ? t("mark.not_answered") : detail}` : shown;
}
