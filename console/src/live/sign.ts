// What the sign in the navigation says. Pure.

import type { LiveState } from "./live";

export type Sign = LiveState | "offline" | "behind";

export interface Evidence {
  state: LiveState;
  isOnline: boolean; // as the browser and the heartbeat say
  answeredAt: number; // of the API: the last call with an answer, in milliseconds; 0 for none
  connectionLostAt: number | null;
  lateAt: number | null; // when the latest hint came, if it came late
  visibleSince: number;
}

const PATIENCE_MS = 10_000; // most connections are opened again earlier
const LOOKS_EVERY_MS = 60_000; // at least, with and without a connection

// behind: changes appear late, as the page polls, as their hints came late, or as no call was answered for longer than
// the page waits between two looks.
export function signOf({ state, isOnline, answeredAt, connectionLostAt, lateAt, visibleSince }: Evidence, now: number): Sign {
  if (!isOnline) return "offline";
  if (connectionLostAt !== null && now - connectionLostAt > PATIENCE_MS) return "behind";
  if (state === "off") return state;
  if (lateAt !== null && now - lateAt < LOOKS_EVERY_MS) return "behind";
  if (answeredAt > 0 && now - Math.max(answeredAt, visibleSince) > LOOKS_EVERY_MS + PATIENCE_MS) return "behind";
  return state;
}
