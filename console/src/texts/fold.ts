// Texts as searches compare them: without case and accents.
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();
}

// Whether a text has all words of a search.
export function hasWords(text: string, words: string): boolean {
  const whole = folded(text);
  return folded(words).split(/\s+/).every((word) => whole.includes(word));
}
