// What a key does on the page that is shown. Each command acts on a visible control, so that it does what a click there
// does, and is offered only where the control is.

export const COMMANDS = {
  next: { key: "j", run: () => openRow(1) },
  previous: { key: "k", run: () => openRow(-1) },
  next_unread: { key: "u", run: () => openRow(1, ".row-unread") },
  reply: { key: "r", run: () => focus(".pane .composer textarea") },
  note: { key: "n", run: () => inFacts("[data-command=note]") },
  label: { key: "l", run: () => inFacts("[data-command=label]") },
  assign: { key: "a", run: () => click(".pane-actions [data-command=assign] > button") || inFacts("[data-command=assign] > button") },
  snooze: { key: "s", run: () => click("[data-command=snooze] > button") },
  resolve: { key: "e", run: () => click('.pane-actions > [data-icon="check"]') },
  archive: { key: "y", run: () => inFacts('[data-icon="archive"]') },
  find: { key: "f", run: () => click(".pane [data-command=find]") || focus(".pane .finder input") },
  newest: { key: "g", run: () => click(".pane [data-command=newest]") },
  undo: { key: "z", run: () => click(".toast button") },
  filter: { key: "/", run: () => focus(".list input[type=search]") },
} satisfies Record<string, { key: string; run: () => boolean }>; // whether the page had the control

export type Command = keyof typeof COMMANDS;

export const NAMES = Object.keys(COMMANDS) as Command[];

// The command of a key that is pressed outside of fields; with Ctrl, Alt or Meta it is the browser's.
export function commandOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "altKey" | "metaKey" | "repeat">): Command | null {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const name = NAMES.find((one) => COMMANDS[one].key === event.key.toLowerCase()) ?? null;
  return event.repeat && name !== "next" && name !== "previous" ? null : name;
}

export function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=button])"));
}

// Moves from the row that has the focus, else from the open one.
function openRow(step: 1 | -1, wanted = ".row"): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>(".list .row")];
  const from = rows.findIndex((row) => row === document.activeElement);
  const at = from >= 0 ? from : rows.findIndex((row) => row.ariaCurrent === "true");
  const ahead = step === 1 ? rows.slice(at + 1) : rows.slice(0, Math.max(0, at)).reverse();
  const row = ahead.find((one) => one.matches(wanted)) ?? (wanted === ".row" ? undefined : rows.find((one) => one.matches(wanted)));
  if (!row) return false;
  row.click();
  row.focus();
  return true;
}

function shown(selector: string): HTMLElement | undefined {
  return [...document.querySelectorAll<HTMLElement>(selector)].find((one) => one.checkVisibility());
}

function focus(selector: string): boolean {
  const found = shown(selector);
  found?.focus();
  return found !== undefined;
}

function click(selector: string): boolean {
  const found = shown(selector);
  found?.click();
  return found !== undefined;
}

// The details are beside the conversation, or over it once they are opened.
function inFacts(selector: string): boolean {
  const found = document.querySelector<HTMLElement>(`.facts ${selector}`);
  if (!found) return false;
  const act = () => {
    if (found.matches("input, textarea")) found.focus();
    else found.click();
  };
  if (found.checkVisibility()) act();
  else if (click(".facts-toggle button")) requestAnimationFrame(() => requestAnimationFrame(act));
  return true;
}
