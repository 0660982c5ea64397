// What of a deployment needs a person now. Pure; tests run it in Node.js.

export type Place = "alarms" | "dead_letters" | "queues" | "conservation";

export interface Need {
  place: Place;
  count: number;
}

// null: not loaded yet, or not readable.
export interface Known {
  alarms: readonly { state: string }[] | null;
  queues: readonly { isDeadLetters: boolean; waiting?: number | null; inFlight?: number | null; oldestSeconds?: number | null }[] | null;
  accounts: readonly { difference?: number | null }[] | null;
}

const LATE_SECONDS = 900;

// The most urgent first; without places where there is nothing to do.
export function needsOf({ alarms, queues, accounts }: Known): Need[] {
  const letters = (queues ?? []).filter((queue) => queue.isDeadLetters);
  const late = (queues ?? []).filter((queue) => !queue.isDeadLetters && (queue.oldestSeconds ?? 0) >= LATE_SECONDS);
  const counts: Record<Place, number> = {
    alarms: (alarms ?? []).filter(({ state }) => state === "ALARM").length,
    dead_letters: letters.reduce((sum, { waiting, inFlight }) => sum + (waiting ?? 0) + (inFlight ?? 0), 0),
    queues: late.length,
    conservation: (accounts ?? []).filter(({ difference }) => (difference ?? 0) !== 0).length,
  };
  return (Object.keys(counts) as Place[]).map((place) => ({ place, count: counts[place] })).filter(({ count }) => count > 0);
}

// Whether *needsOf* saw all of it: only then nothing means nothing.
export function isWhole({ alarms, queues, accounts }: Known): boolean {
  return alarms !== null && queues !== null && accounts !== null && queues.every(({ waiting }) => typeof waiting === "number");
}
