// JSON as people write it: what cannot be read, and the line of each value. Pure.

export interface Placed {
  line: number | null; // from 1; null: not known
  words: string;
}

export type Parsed = { value: Record<string, unknown> } | { line: number | null };

// Texts, signs and ends of lines; a quotation mark alone has no end. Of spaces JSON knows three (RFC 8259, section 2).
const TOKEN = /"(?:[^"\\\n]|\\.)*"|[{}[\],:"]|\n|[^ \t\r\n"{}[\],:]+/g;

// An object, or the line at which the text stops being one.
export function parsed(text: string): Parsed {
  const { fault } = walk(text);
  if (fault !== null) return { line: fault };
  const value: unknown = JSON.parse(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { value: value as Record<string, unknown> } : { line: 1 };
}

// Each value on a line of its own, as it is sent to the provider, which names lines.
export function lined(value: Record<string, unknown>): string {
  return JSON.stringify(value, null, 2);
}

// The line of a value of a text that can be read, such as `screens.0.id`, or else of the nearest value around it.
export function lineOf(text: string, path: string): number {
  const { lines } = walk(text);
  for (let parts = path.split("."); parts.length; parts = parts.slice(0, -1)) {
    const line = lines.get(parts.join("."));
    if (line) return line;
  }
  return 1;
}

interface Frame {
  path: string;
  index: number | null; // of a list; null: an object
  key: string;
}

type Expected = "value" | "value or ]" | "key" | "key or }" | ":" | "comma" | "nothing";

// The line of each value, and the first line that breaks the grammar: what browsers say about it differs.
function walk(text: string): { lines: Map<string, number>; fault: number | null } {
  const lines = new Map<string, number>();
  const open: Frame[] = [];
  let expected: Expected = "value";
  let line = 1;
  let last = 1; // of a sign
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "\n") {
      line += 1;
      continue;
    }
    last = line;
    const top = open.at(-1);
    const isOpen = expected === "comma" || expected === (top?.index === null ? "key or }" : "value or ]");
    if (top && isOpen && token === (top.index === null ? "}" : "]")) {
      open.pop();
      expected = open.length ? "comma" : "nothing";
    } else if (expected === "comma" && token === "," && top) {
      expected = top.index === null ? "key" : "value";
      if (top.index !== null) top.index += 1;
    } else if (expected === ":" && token === ":") {
      expected = "value";
    } else if (expected.startsWith("key") && top && token.startsWith('"') && isScalar(token)) {
      top.key = JSON.parse(token) as string;
      expected = ":";
    } else if (expected.startsWith("value") && (token === "{" || token === "[" || isScalar(token))) {
      const path = top ? [top.path, top.index ?? top.key].filter((part) => part !== "").join(".") : "";
      lines.set(path, line);
      if (token === "{" || token === "[") open.push({ path, index: token === "[" ? 0 : null, key: "" });
      expected = token === "{" ? "key or }" : token === "[" ? "value or ]" : open.length ? "comma" : "nothing";
    } else return { lines, fault: line };
  }
  return { lines, fault: expected === "nothing" ? null : last };
}

function isScalar(token: string): boolean {
  try {
    return typeof JSON.parse(token) !== "object" || token === "null";
  } catch {
    return false;
  }
}
