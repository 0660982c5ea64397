// Texts as searches compare them: without case and accents.
export function folded(text: string): string {
  return text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().trim();
}
