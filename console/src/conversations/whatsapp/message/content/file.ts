// The identity of a file: its address without the signature, which is another one in each answer. Pure.

export function fileOf(link: string): string {
  return link.split("?", 1)[0]!;
}

export type Step = "use_newer" | "ask" | "give_up";

// What follows when a file cannot be loaded from the shown link: mostly its signature has expired.
export function afterFailure(shown: string, newest: string, hasAsked: boolean): Step {
  if (newest !== shown) return "use_newer";
  return hasAsked ? "give_up" : "ask";
}
