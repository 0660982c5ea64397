// What the API says in brackets of a message that has no text: `[image]`, `[document] bill.pdf`, `[incoming call, 1:56]`.

export interface Mark {
  name: string;
  detail: string | null; // a number, a length, `not answered`
}

const MARK = /^\[([a-z][a-z ]*)(?:, ([^\]]+))?\]\s*/;

// The marks at the beginning of a text, and what follows them.
export function marksOf(text: string): { marks: Mark[]; rest: string } {
  const marks: Mark[] = [];
  let rest = text;
  for (let found = MARK.exec(rest); found; found = MARK.exec(rest)) {
    marks.push({ name: found[1]!.replaceAll(" ", "_"), detail: found[2]?.replace(/ items?$/, "") ?? null });
    rest = rest.slice(found[0].length);
  }
  return { marks, rest };
}
