// What pages do with live updates.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useResource, type Resource } from "../api/resource";
import { useApp, useSession } from "../app";
import { actor } from "../texts/format";
import type { Context, Row } from "../inbox/source";
import { t } from "../texts/texts";
import type { Doing, Hint, LiveState } from "./live";

const SLOW_POLL_MS = 60_000; // covers lost hints
const PENDING_POLL_MS = 3_000; // while something is about to change that brings no hint
const LIST_PAUSE_MS = 3_000;
const CONVERSATION_PAUSE_MS = 500;

export function useLiveState(): LiveState {
  const { live } = useApp();
  const [state, setState] = useState(live.state);
  useEffect(() => {
    setState(live.state);
    return live.onChange(() => setState(live.state));
  }, [live]);
  return state;
}

// Loads again after hints that concern what is shown, at most once in *pauseMs*.
export function useReloadAfterHints<T>(
  resource: Pick<Resource<T>, "value" | "loading" | "reload">,
  pauseMs: number,
  concerns: (hint: Hint, value: T | null) => boolean,
): void {
  const { live } = useApp();
  const latest = useRef({ resource, concerns });
  latest.current = { resource, concerns };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = 0;
    let waiting: Hint[] = [];
    const reload = () => {
      // A page in the background waits until it is looked at.
      if (document.visibilityState !== "visible") {
        document.addEventListener("visibilitychange", reload, { once: true });
        return;
      }
      if (latest.current.resource.loading) {
        timer = setTimeout(reload, pauseMs);
        return;
      }
      const { resource, concerns } = latest.current;
      const hints = waiting;
      waiting = [];
      timer = undefined;
      // What was read since a hint came may have its change already.
      if (!hints.some((hint) => concerns(hint, resource.value))) return;
      last = Date.now();
      void resource.reload();
    };
    const stop = live.onHints((hints) => {
      const { resource, concerns } = latest.current;
      waiting.push(...hints.filter((hint) => concerns(hint, resource.value)));
      if (timer !== undefined || waiting.length === 0) return;
      timer = setTimeout(reload, Math.max(0, last + pauseMs - Date.now()));
    });
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", reload);
      stop();
    };
  }, [live, pauseMs]);
}

// A resource that is loaded again after hints that concern it, at most once in *pauseMs*. Polls every *pollMs* without a
// connection, and slowly with one, but quickly while *isPending*. *concerns* gets the value that is shown.
function useLiveResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { pollMs, pauseMs, concerns, isPending }: {
    pollMs: number;
    pauseMs: number;
    concerns: (hint: Hint, value: T | null) => boolean;
    isPending?: ((value: T) => boolean) | undefined;
  },
): Resource<T> {
  const state = useLiveState();
  const [pending, setPending] = useState(false);
  const resource = useResource(load, inputs, pending ? PENDING_POLL_MS : state === "live" ? SLOW_POLL_MS : pollMs);
  useEffect(() => setPending(resource.value !== null && (isPending?.(resource.value) ?? false)), [resource.value]);
  useReloadAfterHints(resource, pauseMs, concerns);
  // Changes before the connection opened brought no hint.
  const wasLive = useRef(state === "live");
  useEffect(() => {
    if (state === "live" && !wasLive.current) void resource.reload();
    wasLive.current = state === "live";
  }, [state]);
  return resource;
}

// Whether a hint is of one of the rows, in a newer version, or of a conversation that may belong to them.
export function concernsRows(hint: Hint, rows: readonly Row[] | undefined): boolean {
  if (hint.version === undefined) return false;
  const row = rows?.find((one) => one.context === hint.context && one.key === hint.key);
  return row ? row.version < hint.version : hint.new === true;
}

export function useLiveList<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  pollMs: number,
  concerns: (hint: Hint, value: T | null) => boolean,
): Resource<T> {
  return useLiveResource(load, inputs, { pollMs, pauseMs: LIST_PAUSE_MS, concerns });
}

// An open conversation: loaded again when it changes. Colleagues elsewhere are not reported meanwhile.
export function useLiveConversation<T>(
  context: Context,
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  pollMs: number,
  isPending?: (value: T) => boolean,
): Resource<T> {
  const { live } = useApp();
  useEffect(() => {
    live.show({ context, key });
    return () => live.show(null);
  }, [live, context, key]);
  // The newest version in a hint, and the one that what is shown has at least: several hints of a version are one call.
  const versions = useRef({ hinted: 0, read: 0 });
  useMemo(() => {
    versions.current = { hinted: 0, read: 0 };
  }, [context, key]);
  const loadVersion = async (signal: AbortSignal) => {
    const known = versions.current;
    const { hinted } = known;
    const value = await load(signal);
    known.read = Math.max(known.read, hinted);
    return value;
  };
  const concerns = (hint: Hint) => {
    if (hint.context !== context || hint.key !== key) return false;
    if (hint.version === undefined) return true;
    versions.current.hinted = Math.max(versions.current.hinted, hint.version);
    return hint.version > versions.current.read;
  };
  return useLiveResource(loadVersion, inputs, { pollMs, pauseMs: CONVERSATION_PAUSE_MS, concerns, isPending });
}

// Returns a function to call while the person types, or takes the conversation over.
export function useSay(context: Context, key: string): (doing: Doing) => void {
  const { live } = useApp();
  return (doing) => live.say(doing, context, key);
}

// In the head of a conversation: who else types or takes over.
export function Colleagues({ context, id }: { context: Context; id: string }) {
  const { live } = useApp();
  const me = useSession().person?.principal ?? null;
  const [colleagues, setColleagues] = useState(() => live.colleaguesAt(context, id));
  useEffect(() => {
    const look = () => setColleagues(live.colleaguesAt(context, id));
    look();
    return live.onChange(look);
  }, [live, context, id]);
  return (
    <span class="colleagues" role="status">
      {colleagues.map(({ principal, doing }) => (
        <span key={principal}>{t(doing === "typing" ? "live.typing" : "live.taking_over", { name: actor(principal, me) })}</span>
      ))}
    </span>
  );
}
