// The texts of pages that few people need: no part of the first load, and neither is the list of their files.

import type { Language, Part } from "./texts";

export async function textsOf(part: Part, language: Language): Promise<Record<string, string>> {
  return (await import(`./${part}/${language}.json`)).default;
}
