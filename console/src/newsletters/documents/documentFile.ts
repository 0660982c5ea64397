// A chosen file as the API takes it. Pure, but for the reading of the file.

export const ACCEPTED = ".pdf,.docx,.html,.htm,.md,.markdown,.txt";
export const MOST_BYTES = { file: 3 << 20, text: 1 << 20 };
const FILES = [".pdf", ".docx"];
const ENDINGS: Record<string, string> = { ".htm": ".html", ".markdown": ".md" };
const LONGEST = 100;

export type Refusal = "kind" | "size" | "empty";

function endingOf(name: string): string {
  const ending = /\.[a-z]+$/.exec(name.toLowerCase())?.[0] ?? "";
  return ENDINGS[ending] ?? ending;
}

// The name under which a document is kept: small letters, digits, points and lines.
export function storedName(name: string): string {
  const ending = endingOf(name);
  const stem = name
    .toLowerCase()
    .replace(/\.[a-z]+$/, "")
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return (stem || `document-${hashOf(name)}`).slice(0, LONGEST - ending.length) + ending;
}

// Names in other scripts have no letter left: they must not replace each other.
function hashOf(name: string): string {
  return [...name].reduce((sum, sign) => (Math.imul(sum, 31) + sign.codePointAt(0)!) >>> 0, 7).toString(36);
}

export function titleOf(name: string): string {
  return name.replace(/\.[A-Za-z]+$/, "").replace(/[_-]+/g, " ").trim();
}

export function refusalOf({ name, size }: { name: string; size: number }): Refusal | null {
  if (!ACCEPTED.split(",").includes(endingOf(name))) return "kind";
  if (size === 0) return "empty";
  return size > MOST_BYTES[isFile(name) ? "file" : "text"] ? "size" : null;
}

function isFile(name: string): boolean {
  return FILES.includes(endingOf(name));
}

export async function contentOf(file: File): Promise<{ text: string } | { file: string }> {
  if (!isFile(file.name)) return { text: await file.text() };
  const bytes = new Uint8Array(await file.arrayBuffer());
  let signs = "";
  for (let at = 0; at < bytes.length; at += 8_192) signs += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return { file: btoa(signs) };
}
