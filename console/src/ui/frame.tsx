// The frame of a conversation: head, timeline, foot, and facts beside it.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { day } from "../texts/format";
import { placeOf, useQuery, withQuery } from "../shell/router";
import { t } from "../texts/texts";
import { Icon, type IconName } from "./icons";
import { Avatar, IconButton } from "./controls";

interface FrameProps {
  title: string;
  line: ComponentChildren;
  colleagues?: ComponentChildren;
  icon: IconName;
  back: string;
  actions?: ComponentChildren;
  facts?: ComponentChildren;
  foot?: ComponentChildren;
  children: ComponentChildren;
}

export function Frame({ title, line, colleagues, icon, back, actions, facts, foot, children }: FrameProps) {
  const [shown, setShown] = useState(false);
  const query = useQuery();
  return (
    <>
      <main class="pane" aria-label={title}>
        <header class="pane-head">
          <a class="icon-button pane-back" href={withQuery(placeOf(back), query)} aria-label={t("action.back")}>
            <Icon name="back" />
          </a>
          <Avatar name={title} />
          <div class="pane-title">
            <h2>{title}</h2>
            <p>
              <Icon name={icon} size={14} />
              {line}
              {colleagues}
            </p>
          </div>
          <div class="pane-actions">{actions}</div>
          {facts && (
            <span class="facts-toggle">
              <IconButton icon="info" label={t("facts.label")} pressed={shown} onClick={() => setShown(!shown)} />
            </span>
          )}
        </header>
        {children}
        {foot}
      </main>
      {facts && (
        <aside class={`facts ${shown ? "facts-shown" : ""}`} aria-label={t("facts.label")}>
          <div class="facts-close">
            <IconButton icon="close" label={t("action.close")} onClick={() => setShown(false)} />
          </div>
          {facts}
        </aside>
      )}
    </>
  );
}

export interface Entry {
  key: string;
  at: string;
  content: ComponentChildren;
}

// Oldest first, with the days between. Keeps its end in view while it is there.
export function Timeline({ entries, onOlder, empty }: { entries: Entry[]; onOlder: (() => void) | null; empty: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const newest = entries.at(-1)?.key;
  useLayoutEffect(() => {
    if (atEnd.current && root.current) root.current.scrollTop = root.current.scrollHeight;
  }, [newest, entries.length]);
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    const note = () => {
      atEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, []);
  let last = "";
  return (
    <div class="timeline" ref={root} role="log" aria-label={t("timeline.label")} tabIndex={0}>
      {onOlder && (
        <button type="button" class="button button-quiet older" onClick={onOlder}>
          {t("timeline.older")}
        </button>
      )}
      {entries.length === 0 && empty}
      {entries.map((entry) => {
        const name = day(entry.at);
        const isFirst = name !== last;
        last = name;
        return (
          <div key={entry.key} class="entry">
            {isFirst && (
              <div class="day">
                <span>{name}</span>
              </div>
            )}
            {entry.content}
          </div>
        );
      })}
    </div>
  );
}

export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
