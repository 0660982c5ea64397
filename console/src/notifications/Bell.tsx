// In the navigation: how many notifications are unread, and their list. Loaded after the page, with its texts.

import { useEffect, useRef } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { tell } from "../live/Attention";
import { wish } from "../live/choices";
import { useLiveState } from "../live/hooks";
import { t } from "../texts/texts";
import { Menu } from "../ui/controls";
import { Icon } from "../ui/icons";
import { Center } from "./Center";
import { refreshPushes } from "./push";
import { keepQuiet } from "./quiet";
import { load, type Notifications } from "./source";
import { newsOf } from "./words";

const POLL_MS = 60_000; // without live updates
const SLOW_POLL_MS = 300_000; // with them: covers lost hints
const MOST_SHOWN = 99;
const PAUSE_MS = 2_000;

export function Bell() {
  const { client, live } = useApp();
  const session = useSession();
  const state = useLiveState();
  const { teams, company } = session;
  const me = session.person?.principal ?? "";
  const mine = [me, ...teams.map((team) => `team:${team}`)];
  const found = useResource((signal) => load(client, teams, null, signal), [client, company, me, teams.join()], state === "live" ? SLOW_POLL_MS : POLL_MS);
  const latest = useRef({ mine, reload: found.reload });
  latest.current = { mine, reload: found.reload };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = live.onHints((hints) => {
      const isMine = hints.some(({ notified }) => notified?.some((one) => latest.current.mine.includes(one)));
      if (isMine) timer ??= setTimeout(() => ((timer = undefined), void latest.current.reload()), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [live]);
  // Changes before the connection opened brought no hint.
  const wasLive = useRef(state === "live");
  useEffect(() => {
    if (state === "live" && !wasLive.current) void latest.current.reload();
    wasLive.current = state === "live";
  }, [state]);
  useNews(found.value);
  useEffect(() => {
    void refreshPushes(client, teams).catch(() => undefined); // the next page tries again
  }, [client, teams.join()]);
  const count = found.value?.unread ?? 0;
  const shown = count > MOST_SHOWN ? `${MOST_SHOWN}+` : count;
  return (
    <div class="bell">
      <Menu
        label={t("notifications.open", { count: shown })}
        align="start"
        button={
          <>
            <Icon name="bell" size={20} />
            {count > 0 && <span class="bell-count">{shown}</span>}
          </>
        }
      >
        {(close) => <Center all={found} onClose={close} />}
      </Menu>
    </div>
  );
}

// Announces unread notifications that were not there at the last look.
function useNews(value: Notifications | null): void {
  const newest = useRef<string | null>(null);
  useEffect(() => {
    if (!value) return;
    keepQuiet(value.settings);
    const known = newest.current;
    newest.current = value.notifications[0]?.id ?? known ?? "";
    if (known === null || wish() === "off") return;
    const news = value.notifications.filter((one) => one.id > known && !one.isRead && !["replied", "at_risk", "overdue"].includes(one.kind));
    tell(newsOf(news));
  }, [value]);
}
