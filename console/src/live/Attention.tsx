// Tells of unread conversations outside the page: in its title and icon, with notifications and a tone by choice. A page
// in the background goes on only if the person wants notifications.

import { useEffect, useRef, useState } from "preact/hooks";
import { useApp, useSession } from "../app";
import { alarmsOf } from "../inbox/due";
import { dueText, titleOf } from "../inbox/InboxRow";
import type { Row } from "../inbox/source";
import { go, placeOf, useRoute } from "../shell/router";
import { isQuietNow } from "../notifications/quiet";
import { t, type Key } from "../texts/texts";
import iconUnread from "../ui/images/icon-unread.svg";
import icon from "../ui/images/icon.svg";
import { hasSound, play, wish } from "./choices";
import { isWanted, newsOf, titleWith, type Unread } from "./news";

const MOST = 99;
const PAUSE_MS = 5_000; // from a look to the next
const LOOK_MS = 60_000; // without hints
const NAME = "Parley";

export function Attention() {
  const { client, live } = useApp();
  const session = useSession();
  const [, , open = null] = useRoute();
  const [unread, setUnread] = useState<Unread>({ rows: [], hasMore: false });
  const latest = useRef({ mine: [] as string[], open });
  latest.current = { mine: [session.person?.principal ?? "", ...session.teams.map((team) => `team:${team}`)], open };
  useEffect(() => {
    let seen: Unread | null = null;
    let last = 0;
    let alarmsTo = Date.now(); // alarms until then were told
    let isLooking = false;
    let isMissed = false; // a hint came during a look
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const look = async () => {
      clearTimeout(timer);
      timer = undefined;
      if (document.visibilityState !== "visible" && wish() === "off") return;
      [isLooking, isMissed] = [true, false];
      try {
        const page = await client.call("GET /inbox", { query: { status: "open", unread: "true", limit: MOST } });
        if (isOver) return;
        const now = { rows: page.result.conversations, hasMore: page.cursor !== null };
        const { mine, open } = latest.current;
        if (seen) tell(newsOf(now, seen, wish(), mine, document.hasFocus() ? open : null).map((row) => newsOfRow(row)));
        const until = Date.now();
        tell(alarmsOf(now.rows, alarmsTo, until).filter((row) => isWanted(row, wish(), mine)).map((row) => newsOfRow(row, dueText(row))));
        [seen, alarmsTo] = [now, until];
        setUnread(now);
      } catch {
        // The next look tells; the sign says that the network is lost.
      } finally {
        isLooking = false;
        last = Date.now();
        if (isMissed && !isOver) soon();
      }
    };
    // Not after a pause in the background, where browsers delay timers to a minute.
    const soon = () => {
      if (isLooking) {
        isMissed = true;
        return;
      }
      const wait = last + PAUSE_MS - Date.now();
      if (wait <= 0) void look();
      else timer ??= setTimeout(() => void look(), wait);
    };
    void look();
    const every = setInterval(soon, LOOK_MS);
    const stop = live.onHints(soon);
    document.addEventListener("visibilitychange", soon);
    return () => {
      isOver = true;
      clearTimeout(timer);
      clearInterval(every);
      stop();
      document.removeEventListener("visibilitychange", soon);
    };
  }, [client, live]);
  useEffect(() => {
    document.title = titleWith(unread, NAME);
    document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = unread.rows.length ? iconUnread : icon;
  }, [unread]);
  useEffect(() => () => void (document.title = NAME), []);
  return null;
}

export interface News {
  title: string;
  body: string;
  tag: string;
  place: string;
}

// Names the contact only: others may see the screen.
function newsOfRow(row: Row, body = t(`channel.${row.channel}` as Key)): News {
  return { title: titleOf(row), body, tag: `${row.context}/${row.key}`, place: placeOf("all", row.context, row.key) };
}

// A tone and notifications of the desktop, by choice, and not while the person is not to be disturbed.
export function tell(news: readonly News[]): void {
  if (!news.length || isQuietNow()) return;
  if (hasSound()) play();
  if (!("Notification" in window) || Notification.permission !== "granted" || document.hasFocus()) return;
  for (const { title, body, tag, place } of news.slice(0, 3)) {
    const shown = new Notification(title, { body, tag, icon });
    shown.onclick = () => {
      window.focus();
      go(place);
      shown.close();
    };
  }
}
