// What the sign in the navigation says. Pure.

import type { LiveState } from "./live";

export type Sign = LiveState | "offline" | "behind";

export interface Evidence {
  state: LiveState;
  isOnline: boolean; // as the browser says
  answeredAt: number; // of the API: the last call with an answer, and without one; milliseconds, 0 for none
  unansweredAt: number;
  connectionLostAt: number | null;
  visibleSince: number;
}

const PATIENCE_MS = 10_000; // most connections are opened again earlier
const LOOKS_EVERY_MS = 60_000; // at least, with and without a connection

// behind: changes appear late, as the page polls, or has had no answer for longer than it waits between two looks.
export function signOf({ state, isOnline, answeredAt, unansweredAt, connectionLostAt, visibleSince }: Evidence, now: number): Sign {
  if (!isOnline || unansweredAt > answeredAt) return "offline";
  if (connectionLostAt !== null && now - connectionLostAt > PATIENCE_MS) return "behind";
  if (state !== "off" && answeredAt > 0 && now - Math.max(answeredAt, visibleSince) > LOOKS_EVERY_MS + PATIENCE_MS) return "behind";
  return state;
}
