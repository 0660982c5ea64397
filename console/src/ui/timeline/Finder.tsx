// Finds words and days in a conversation, also among entries that are not loaded yet.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { asApiError, type ApiError } from "../../api/errors";
import { hasWords } from "../../texts/fold";
import { moment } from "../../texts/format";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, IconButton } from "../controls";
import { nextMatch } from "./span";
import type { Entry, OlderEntries } from "./Timeline";

interface Props {
  entries: Entry[];
  older: OlderEntries;
  onFound: (entry: Entry | null) => void;
  onDay: (at: string) => void;
  onClose: () => void;
}

type Fits = Parameters<OlderEntries["until"]>[0];

export function Finder({ entries, older, onFound, onDay, onClose }: Props) {
  const [words, setWords] = useState("");
  const [current, setCurrent] = useState<string | null>(null);
  const [pending, setPending] = useState(false); // a match among entries that were loaded just now
  const loading = useLoading(older);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const fits: Fits = ({ text }) => words.trim() !== "" && hasWords(text, words);
  const matches = useMemo(() => entries.flatMap((entry, index) => (fits(entry) ? [index] : [])), [entries, words]);
  const at = current === null ? null : entries.findIndex((entry) => entry.key === current);
  const show = (index: number) => {
    setCurrent(entries[index]!.key);
    onFound(entries[index]!);
  };
  const step = async (direction: 1 | -1) => {
    const next = nextMatch(matches, at, direction);
    if (next !== null) show(next);
    else if (direction === -1 && words.trim() && (await loading.until(fits))) setPending(true);
  };
  useEffect(() => {
    if (!pending) return;
    setPending(false);
    const next = nextMatch(matches, at, -1);
    if (next !== null) show(next);
  }, [pending]);
  useEffect(() => {
    loading.stop();
    const newest = nextMatch(matches, null, -1);
    setCurrent(newest === null ? null : entries[newest]!.key);
    onFound(newest === null ? null : entries[newest]!);
  }, [words]);
  const goToDay = async (start: string) => {
    const isLoaded = (entries[0]?.at ?? "") <= start;
    if (isLoaded || !older.hasMore || (await loading.until((entry) => entry.at < start)) || !loading.wasStopped()) onDay(start);
  };
  return (
    <div
      class="finder"
      role="search"
      aria-label={t("find.open")}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        onClose();
      }}
    >
      <div class="finder-line">
        <input
          ref={field}
          type="search"
          dir="auto"
          value={words}
          maxLength={100}
          aria-label={t("find.words")}
          placeholder={t("find.words")}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            void step(event.shiftKey ? 1 : -1);
          }}
        />
        <span class="finder-buttons">
          <IconButton icon="up" label={t("find.older")} onClick={() => void step(-1)} />
          <IconButton icon="down" label={t("find.newer")} onClick={() => void step(1)} />
        </span>
        <Days onDay={(start) => void goToDay(start)} />
        <IconButton icon="close" label={t("action.close")} onClick={onClose} />
      </div>
      <p class="quiet" role="status">
        {loading.busy
          ? t("find.loading", { at: moment(entries[0]?.at ?? new Date().toISOString()) })
          : words.trim() && t(older.hasMore ? "find.count_loaded" : "find.count", { index: at === null ? 0 : matches.indexOf(at) + 1, count: matches.length })}
        {loading.busy && (
          <Button kind="quiet" onClick={loading.stop}>
            {t("find.stop")}
          </Button>
        )}
      </p>
      {loading.error && <ErrorNotice error={loading.error} />}
    </div>
  );
}

function Days({ onDay }: { onDay: (start: string) => void }) {
  const [day, setDay] = useState("");
  return (
    <form
      class="finder-day"
      onSubmit={(event) => {
        event.preventDefault();
        const start = new Date(`${day}T00:00`);
        if (!Number.isNaN(start.getTime())) onDay(start.toISOString());
      }}
    >
      <input type="date" value={day} aria-label={t("find.day")} required onInput={(event) => setDay(event.currentTarget.value)} />
      <Button type="submit">{t("find.go")}</Button>
    </form>
  );
}

// One search among older entries at a time, until it is stopped or the search is closed.
function useLoading(older: OlderEntries) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef<AbortController | null>(null);
  const stop = () => running.current?.abort();
  useEffect(() => stop, []);
  const until = async (fits: Fits) => {
    stop();
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setError(null);
    try {
      return await older.until(fits, controller.signal);
    } catch (failure) {
      if (!controller.signal.aborted) setError(asApiError(failure));
      controller.abort();
      return false;
    } finally {
      if (running.current === controller) setBusy(false);
    }
  };
  return { until, busy, error, stop, wasStopped: () => running.current?.signal.aborted ?? false };
}
