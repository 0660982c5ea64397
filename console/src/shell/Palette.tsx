// Finds people, conversations, actions and settings from every page (Ctrl K, Cmd K).

import { useEffect, useRef, useState } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import type { ConsoleApi } from "../api/routes";
import { folded } from "../texts/fold";
import { LONGEST_SEARCH } from "../inbox/address";
import { titleOf } from "../inbox/InboxRow";
import type { Row } from "../inbox/source";
import { partsFor, rightsOf } from "../operations/access";
import { when } from "../texts/format";
import { isolated, t, type Key } from "../texts/texts";
import { ErrorNotice } from "../ui/controls";
import { Icon, type IconName } from "../ui/icons";
import { COMMANDS, NAMES } from "./commands";
import { Dialog } from "./Dialog";
import { go, placeOf } from "./router";
import { sectionsFor } from "./sections";

const TYPING_PAUSE_MS = 300;
const MOST_CONVERSATIONS = 8;
const MOST_PEOPLE = 4;

interface Found {
  id: string;
  icon: IconName;
  name: string;
  line: string;
  run: () => void;
}

export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const asked = useFound(text);
  const fixed = useFixed(onHelp).filter((one) => folded(text).split(/\s+/).every((word) => folded(`${one.name} ${one.line}`).includes(word)));
  const found = [...(asked.value ?? []), ...fixed];
  const at = Math.min(chosen, found.length - 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }), [at]);
  // The page gets its focus back first: an action may move it.
  const run = (one: Found | undefined) => {
    if (!one) return;
    onClose();
    setTimeout(one.run);
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) setChosen((at + step + found.length) % found.length);
    else if (event.key === "Enter" && !event.isComposing) run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label={t("palette.label")} onClose={onClose}>
      <label class="search">
        <Icon name="search" size={16} />
        <input
          type="text"
          dir="auto"
          role="combobox"
          aria-expanded
          aria-controls="palette-found"
          aria-activedescendant={found[at] && `palette-${at}`}
          aria-label={t("palette.search")}
          placeholder={t("palette.search")}
          maxLength={LONGEST_SEARCH}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={keys}
        />
      </label>
      {asked.error && <ErrorNotice error={asked.error} onRetry={() => void asked.reload()} />}
      <ul id="palette-found" ref={list} class="palette" role="listbox" aria-label={t("palette.found")} tabIndex={-1}>
        {found.map((one, index) => (
          <li key={one.id} id={`palette-${index}`} class="choice" role="option" aria-selected={index === at} onClick={() => run(one)}>
            <Icon name={one.icon} size={16} />
            <span class="palette-name">{one.name}</span>
            <span class="quiet">{one.line}</span>
          </li>
        ))}
      </ul>
      <p class="quiet" role="status">
        {asked.loading && text.trim() ? t("state.loading") : found.length === 0 ? t("inbox.no_match.title") : ""}
      </p>
    </Dialog>
  );
}

// Conversations of all statuses and people, after a pause in typing: a person may make 60 such calls a minute.
function useFound(text: string) {
  const { client } = useApp();
  const { reads } = rightsOf(useSession());
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return useResource(
    async (signal) => {
      if (!q || !reads) return [];
      const [inbox, people] = await Promise.all([
        client.call("GET /inbox", { query: { q, status: "all", limit: MOST_CONVERSATIONS }, signal }),
        client.call("GET /contacts", { query: { q, limit: MOST_PEOPLE }, signal }),
      ]);
      return [...inbox.result.conversations.map(foundOf), ...people.result.contacts.map(personOf)];
    },
    [client, q, reads],
  );
}

function personOf({ contactId, name, handles, identifiers }: ConsoleApi.ContactView): Found {
  const handle = handles[0]?.text ?? identifiers[0]?.text ?? "";
  return {
    id: contactId,
    icon: "person",
    name: name ?? (handle || t("inbox.unknown")),
    line: [t("palette.person"), name && handle].filter(Boolean).map(isolated).join(" · "),
    run: () => go(placeOf("contacts", contactId)),
  };
}

function foundOf(row: Row): Found {
  const line = [row.contact && row.handleText ? row.handleText : row.subject, t(`inbox.status.${row.status}` as Key), when(row.lastActivityAt)];
  return {
    id: `${row.context}/${row.key}`,
    icon: row.context === "conversations" ? "robot" : row.channel === "email" ? "mail" : "chat",
    name: titleOf(row),
    line: line.filter(Boolean).map(isolated).join(" · "),
    run: () => go(placeOf("all", row.context, row.key)),
  };
}

function useFixed(onHelp: () => void): Found[] {
  const rights = rightsOf(useSession());
  const parts = partsFor(rights);
  const sections = sectionsFor(rights);
  return [
    ...sections.map((one) => ({ id: one.name, icon: one.icon, name: t(one.label), line: t("palette.section"), run: () => go(placeOf(one.name)) })),
    ...NAMES.map((name) => ({ id: `key-${name}`, icon: "bolt" as const, name: t(`keys.${name}`), line: t("palette.action", { key: COMMANDS[name].key }), run: () => void COMMANDS[name].run() })),
    { id: "help", icon: "info", name: t("keys.title"), line: t("palette.action", { key: "?" }), run: onHelp },
    { id: "documentation", icon: "info", name: t("nav.help"), line: t("nav.help_window"), run: () => document.querySelector<HTMLElement>(".rail-help")?.click() },
    ...parts.map((part) => ({ id: `part-${part}`, icon: "gauge" as const, name: t(`ops.part.${part}`), line: t("nav.operations"), run: () => go(placeOf("operations", part)) })),
  ];
}
