// Context of every page: the client, the session, and redrawing when the session changes.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Client } from "./api/client";
import type { Messages } from "./conversations/unsent/stores";
import type { Jobs } from "./inbox/bulk/jobs";
import type { Config } from "./session/config";
import type { Live } from "./live/live";
import type { Session } from "./session/session";

export interface App {
  client: Client;
  config: Config;
  live: Live;
  outbox: Messages;
  bulk: Jobs;
  session: Session;
}

export const AppContext = createContext<App | null>(null);

export function useApp(): App {
  return useContext(AppContext)!;
}

export function useSession(): Session {
  const { session } = useApp();
  const [, redraw] = useState(0);
  useEffect(() => session.onChange(() => redraw((count) => count + 1)), [session]);
  return session;
}
