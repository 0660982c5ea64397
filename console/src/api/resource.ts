// What a page has loaded, is loading, or could not load.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, asApiError } from "./errors";

export interface Resource<T> {
  value: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => Promise<void>;
  change: (next: (value: T) => T) => void;
}

export const POLL_MS = 15_000;
const PATIENCE_MS = 30_000; // the API answers earlier

// Loads again when *inputs* change, and every *pollMs* while the page is visible. An error leaves the value.
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  pollMs: number | null = null,
): Resource<T> {
  const [state, setState] = useState<{ value: T | null; error: ApiError | null; loading: boolean }>({
    value: null,
    error: null,
    loading: true,
  });
  const running = useRef<AbortController | null>(null);
  const since = useRef(0); // when the running load began; 0 without one

  const reload = useCallback(async () => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    since.current = Date.now();
    setState((old) => ({ ...old, loading: true }));
    try {
      const value = await load(controller.signal);
      if (!controller.signal.aborted) setState({ value, error: null, loading: false });
    } catch (failure) {
      if (!controller.signal.aborted) setState((old) => ({ ...old, error: asApiError(failure), loading: false }));
    } finally {
      if (running.current === controller) since.current = 0;
    }
  }, inputs);

  useEffect(() => {
    setState({ value: null, error: null, loading: true });
    void reload();
    return () => running.current?.abort();
  }, [reload]);

  useEffect(() => {
    if (pollMs === null) return;
    const timer = setInterval(() => {
      // An answer that takes longer than the interval must not be given up each time.
      if (document.visibilityState === "visible" && Date.now() - since.current > PATIENCE_MS) void reload();
    }, pollMs);
    return () => clearInterval(timer);
  }, [reload, pollMs]);

  const change = useCallback((next: (value: T) => T) => {
    setState((old) => (old.value === null ? old : { ...old, value: next(old.value) }));
  }, []);
  return { ...state, reload, change };
}

export interface Action {
  run: () => Promise<boolean>;
  busy: boolean;
  error: ApiError | null;
  clear: () => void;
}

// A change that a person asks for: one at a time. run() returns whether it succeeded.
export function useAction(act: () => Promise<unknown>): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const active = useRef(false);
  const run = async () => {
    if (active.current) return false;
    active.current = true;
    setBusy(true);
    setError(null);
    try {
      await act();
      return true;
    } catch (failure) {
      setError(asApiError(failure));
      return false;
    } finally {
      active.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error, clear: () => setError(null) };
}
