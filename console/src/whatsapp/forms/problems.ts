// The rules of a form's JSON and of its routing that the API names, in the person's language. Pure.

import type { ApiError } from "../../api/errors";
import { t, type Key } from "../../texts/texts";
import { lineOf, type Placed } from "../json";

const RULES: readonly (readonly [RegExp, Key])[] = [
  [/^must be 3\.0 or 4\.0$/, "forms.rule.data_version"],
  [/^must be a list of at least one screen$/, "forms.rule.screens"],
  [/^must be an object$/, "forms.rule.object"],
  [/^must have letters and underscores only$/, "forms.rule.letters"],
  [/^SUCCESS is reserved$/, "forms.rule.reserved"],
  [/^(.+): the id must be unique$/, "forms.rule.unique"],
  [/^must have a terminal screen$/, "forms.rule.terminal"],
  [/^is required with data_api_version$/, "forms.rule.routing_model"],
  [/^(.+): no screen has this id$/, "forms.rule.unknown_screen"],
  [/^must list ids of screens$/, "forms.rule.listed"],
  [/^must name an existing screen$/, "forms.rule.existing"],
  [/^must have at most (\d+) bytes and (\d+) levels$/, "forms.rule.size"],
  [/^must have at most (\d+) screens$/, "forms.rule.most_screens"],
  [/^SUCCESS must have no route and be no first screen$/, "forms.rule.success"],
  [/^screenData must have at most (\d+) bytes$/, "forms.rule.data_size"],
  [/^screenData must be of screens in routes$/, "forms.rule.data_screens"],
  [/^must be (?:a public|an?) (?:https|address).*$/i, "forms.rule.address"],
];

export function inWords(words: string): string {
  for (const [pattern, key] of RULES) {
    const found = pattern.exec(words);
    if (found) return t(key, { a: found[1] ?? "", b: found[2] ?? "" });
  }
  return words;
}

// Problems of the field *name* that holds the JSON, at the lines of *text*.
export function placedOf(error: ApiError | null, name: string, text: string): Placed[] {
  return (error?.details ?? [])
    .filter(({ field }) => field === name || field?.startsWith(`${name}.`))
    .map(({ field, problem }) => ({ line: lineOf(text, field!.slice(name.length + 1)), words: inWords(problem ?? "") }));
}

// What the provider found: Meta names lines of the JSON as it was sent, AWS gives a text only.
export function foundBy(errors: readonly (string | { message?: string | null; error?: string | null; line_start?: number | null })[]): Placed[] {
  return errors.map((one) => (typeof one === "string" ? { line: null, words: one } : { line: one.line_start ?? null, words: one.message ?? one.error ?? "" }));
}
