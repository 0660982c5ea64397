// The entries of a conversation, oldest first, with the days between. A part of a long one is in the document. The
// reading place stays while older and newer entries come, files load and the composer grows; at the end it follows.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { day as dayOf } from "../../texts/format";
import { t, tn } from "../../texts/texts";
import { ErrorNotice } from "../controls";
import { Icon } from "../icons";
import { Finder } from "./Finder";
import { firstSince, isNearEdge, needsOlder, newSince, spanOf, type Place } from "./span";

const END_PX = 80; // so near to its end the timeline follows new entries
const BELOW_TOP_PX = 60; // where an entry that is jumped to stands

export interface Entry extends Place {
  content: ComponentChildren;
  text: string; // what a search in the conversation compares; empty for changes and calls
  isMessage: boolean;
}

// What is older than the entries.
export interface OlderEntries {
  hasMore: boolean;
  busy: boolean;
  hasFailed: boolean;
  load: () => void;
  // Loads entries until one fits, or *signal*. Whether one does. Throws ApiError.
  until: (fits: (entry: Pick<Entry, "at" | "text">) => boolean, signal: AbortSignal) => Promise<boolean>;
}

// What was unread when the conversation was opened.
export interface UnreadEntries {
  first: string | null; // the key of its first entry; null until that is loaded
  load: (signal: AbortSignal) => Promise<unknown>; // throws ApiError
}

interface Props {
  entries: Entry[];
  older: OlderEntries;
  unread?: UnreadEntries | null; // null: nothing was
  sent?: number; // grows with each message that is sent here: it is shown
  empty: ComponentChildren;
}

export function Timeline({ entries, older, unread = null, sent = 0, empty }: Props) {
  const [anchor, setAnchor] = useState<Place | null>(null); // null: at the end
  const [found, setFound] = useState<string | null>(null);
  const [isFinding, setFinding] = useState(false);
  const [day, setDay] = useState<{ at: string } | null>(null); // to go to
  const [unreadGoal, setUnreadGoal] = useState<object | null>(null);
  const [isUnreadReached, setUnreadReached] = useState(false);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const seen = useRef<Place | null>(null);
  const span = useMemo(() => spanOf(entries, anchor), [entries, anchor]);
  const shown = entries.slice(span.start, span.end);
  if (anchor === null) seen.current = entries.at(-1) ?? null;
  const loadOlder = (first: number) => {
    if (needsOlder(span, first) && older.hasMore && !older.busy && !older.hasFailed) older.load();
  };
  const view = useReadingPlace((first, last, isAtEnd) => {
    const place = shown[first];
    const follows = isAtEnd && span.end === entries.length;
    if (follows) {
      if (anchor !== null) setAnchor(null);
    } else if (place && (anchor === null || isNearEdge(span, entries.length, span.start + first, span.start + last))) {
      setAnchor(place);
    }
    loadOlder(span.start + first);
    return follows;
  });
  // Without a scroll event too: a page may have come while another load was busy, or when the list began anew.
  useEffect(() => {
    const key = view.firstKey();
    const first = key === null ? -1 : entries.findIndex((entry) => entry.key === key);
    if (first >= 0) loadOlder(first);
  }, [entries, span, older.busy, older.hasMore]);
  const goTo = (entry: Place) => {
    view.hold(entry.key, BELOW_TOP_PX);
    setAnchor({ ...entry });
  };
  const goToEnd = () => {
    view.follow();
    setAnchor(null);
  };
  // After older entries were loaded for it.
  useEffect(() => {
    const entry = day === null ? undefined : entries[firstSince(entries, day.at) ?? entries.length - 1];
    if (entry) goTo(entry);
  }, [day]);
  const toUnread = useAction(async () => {
    if (unread?.first === null) await unread.load(leaving.current.signal);
    setUnreadGoal({});
  });
  useEffect(() => {
    const entry = unreadGoal && entries.find((one) => one.key === unread?.first);
    if (!entry) return;
    setUnreadReached(true);
    goTo(entry);
  }, [unreadGoal]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) goToEnd();
    isFirst.current = false;
  }, [sent]);
  const news = anchor === null ? 0 : newSince(entries, seen.current).filter((entry) => entry.isMessage).length;
  const unreadAt = unread ? entries.findIndex((entry) => entry.key === unread.first) : -1;
  const isUnreadAbove = unread !== null && !isUnreadReached && entries.length - unreadAt > 1;
  return (
    <div class="timeline-frame">
      {isFinding && (
        <Finder
          entries={entries}
          older={older}
          onFound={(entry) => {
            setFound(entry?.key ?? null);
            if (entry) goTo(entry);
          }}
          onDay={(at) => setDay({ at })}
          onClose={() => {
            setFound(null);
            setFinding(false);
          }}
        />
      )}
      <div class="timeline" ref={view.frame} role="log" aria-live={anchor ? "off" : "polite"} aria-label={t("timeline.label")} tabIndex={0}>
        <div class="timeline-rows" ref={view.rows}>
          {older.hasMore && span.start === 0 && (
            <button type="button" class="button button-quiet older" aria-busy={older.busy} onClick={older.load}>
              {t("timeline.older")}
            </button>
          )}
          {entries.length === 0 && empty}
          <Rows entries={shown} found={found} unread={unread?.first ?? null} />
        </div>
      </div>
      {toUnread.error && <ErrorNotice error={toUnread.error} onRetry={() => void toUnread.run()} />}
      <div class="timeline-jumps">
        {isUnreadAbove && (
          <button
            type="button"
            class="button"
            data-command="unread"
            aria-busy={toUnread.busy}
            onClick={() => void toUnread.run()}
          >
            <Icon name="back" size={16} /> {t("timeline.first_unread")}
          </button>
        )}
        <span role="status">
          {anchor !== null && (
            <button type="button" class="button" data-command="newest" onClick={goToEnd}>
              {news ? tn("timeline.new", news) : t("timeline.newest")}
            </button>
          )}
        </span>
        {!isFinding && entries.length > 0 && (
          <button type="button" class="icon-button" data-command="find" aria-label={t("find.open")} title={t("find.open")} onClick={() => setFinding(true)}>
            <Icon name="search" />
          </button>
        )}
      </div>
    </div>
  );
}

function Rows({ entries, found, unread }: { entries: Entry[]; found: string | null; unread: string | null }) {
  let last = "";
  return (
    <>
      {entries.map((entry) => {
        const name = dayOf(entry.at);
        const isFirst = name !== last;
        last = name;
        return (
          <div key={entry.key} class={`entry ${entry.key === found ? "entry-found" : ""}`} data-entry={entry.key}>
            {isFirst && (
              <div class="day">
                <span>{name}</span>
              </div>
            )}
            {entry.key === unread && (
              <div class="day day-unread">
                <span>{t("timeline.unread")}</span>
              </div>
            )}
            {entry.content}
          </div>
        );
      })}
    </>
  );
}

interface Reading {
  key: string;
  top: number; // of its content, pixels below the upper edge of the frame
}

// Without the heads of the day and of unread messages: an entry loses its head when older ones come.
function topOf(row: Element): number {
  const content = [...row.children].find((child) => !child.classList.contains("day"));
  return (content ?? row).getBoundingClientRect().top;
}

// *onScroll* gets the indexes of the first and the last visible row, and returns whether the end is followed from now on.
function useReadingPlace(onScroll: (first: number, last: number, isAtEnd: boolean) => boolean) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const place = useRef<Reading | null>(null); // null: the end
  const settled = useRef(0); // the position at the last scroll event, or set here
  const latest = useRef(onScroll);
  latest.current = onScroll;
  // The observer may call once more when the page is left.
  const note = () => {
    const element = frame.current;
    if (!element) return;
    settled.current = element.scrollTop;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX;
    const { top, bottom } = element.getBoundingClientRect();
    const listed = [...rows.current!.querySelectorAll<HTMLElement>(":scope > [data-entry]")];
    const first = listed.findIndex((row) => row.getBoundingClientRect().bottom > top);
    if (first < 0) return;
    const last = listed.findLastIndex((row) => row.getBoundingClientRect().top < bottom);
    const row = listed[first]!;
    const read = { key: row.dataset.entry!, top: topOf(row) - top };
    place.current = latest.current(first, last, isAtEnd) ? null : read;
  };
  const restore = () => {
    const element = frame.current;
    if (!element) return;
    // A person may have scrolled and the browser not yet said so: that movement stays.
    const moved = element.scrollTop - settled.current;
    if (place.current === null && moved !== 0) note();
    const { current } = place;
    if (current === null) element.scrollTop = element.scrollHeight;
    else {
      const row = rows.current!.querySelector(`[data-entry="${CSS.escape(current.key)}"]`);
      if (!row) return;
      const pending = element.scrollTop - settled.current;
      const off = topOf(row) - element.getBoundingClientRect().top - (current.top - pending);
      if (Math.abs(off) >= 1) element.scrollTop += off;
    }
    settled.current = element.scrollTop;
  };
  useLayoutEffect(restore);
  useEffect(() => {
    const element = frame.current!;
    const resized = new ResizeObserver(restore);
    resized.observe(element);
    resized.observe(rows.current!);
    element.addEventListener("scroll", note, { passive: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", note);
    };
  }, []);
  const become = (next: Reading | null) => {
    place.current = next;
    settled.current = frame.current!.scrollTop;
  };
  return {
    frame,
    rows,
    firstKey: () => place.current?.key ?? null,
    hold: (key: string, top: number) => become({ key, top }),
    follow: () => become(null),
  };
}
