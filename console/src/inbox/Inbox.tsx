// The list of conversations, and beside it the open one. On a phone one of the two is shown.

import { useEffect, useMemo, useState } from "preact/hooks";
import { POLL_MS, useAction } from "../api/resource";
import { useApp, useSession } from "../app";
import { Conversation } from "./Conversation";
import { Filters } from "./Filters";
import { InboxRow } from "./InboxRow";
import { EVERYTHING, labelsOf, list, type Context, type Filter, type Row, type Rows, type Status } from "./source";
import { useLiveList } from "../live/hooks";
import { moment } from "../texts/format";
import { t, type Key } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Empty, ErrorNotice, MoreButton, Skeleton } from "../ui/controls";

const STATUSES: Status[] = ["open", "snoozed", "resolved", "archived"];
const TYPING_PAUSE_MS = 250;
const LONGEST_SEARCH = 100; // characters

interface Props {
  section: string;
  context: string | null;
  conversation: string | null;
}

export function Inbox({ section, context, conversation }: Props) {
  const [status, setStatus] = useState<Status>("open");
  const [unread, setUnread] = useState(false);
  const [words, setWords] = useState("");
  const [choice, setChoice] = useState(EVERYTHING);
  const [labels, setLabels] = useState<string[]>([]);
  const me = useSession().person?.principal ?? null;
  const filter = useMemo<Filter>(
    () => ({
      context: section === "all" || section === "mine" ? null : (section as Context),
      status,
      ...choice,
      assignee: section === "mine" ? me : choice.assignee,
      unread,
      q: words.trim(),
    }),
    [section, status, unread, choice, words, me],
  );
  // Channels, numbers and mailboxes differ between sections.
  useEffect(() => setChoice((old) => (old.channel || old.address ? { ...old, channel: null, address: null } : old)), [section]);
  const isOpen = context !== null && conversation !== null;
  return (
    <div class={`inbox ${isOpen ? "inbox-open" : ""}`}>
      <section class="list" aria-label={t("inbox.list")}>
        <header class="list-head">
          <h1>{t(`nav.${section}` as Key)}</h1>
          <div class="search-line">
            <Search onChange={setWords} />
            <button type="button" class="tab" aria-pressed={unread} onClick={() => setUnread(!unread)}>
              {t("inbox.only_unread")}
            </button>
          </div>
          <Filters context={filter.context} isMine={section === "mine"} labels={labels} choice={choice} onChoose={setChoice} />
          <div class="tabs" role="group" aria-label={t("inbox.filter")}>
            {STATUSES.map((name) => (
              <button key={name} type="button" class="tab" aria-pressed={name === status} onClick={() => setStatus(name)}>
                {t(`inbox.status.${name}` as Key)}
              </button>
            ))}
          </div>
        </header>
        <Rows key={JSON.stringify(filter)} filter={filter} section={section} open={conversation} me={me} onRows={(rows) => setLabels((old) => labelsOf(rows, old))} />
      </section>
      {isOpen ? (
        <Conversation key={`${context}/${conversation}`} context={context as Context} id={conversation} back={section} />
      ) : (
        <main class="pane pane-empty">
          <Empty icon="inbox" title={t("inbox.choose.title")}>
            {t("inbox.choose.text")}
          </Empty>
        </main>
      )}
    </div>
  );
}

function Search({ onChange }: { onChange: (words: string) => void }) {
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => onChange(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        maxLength={LONGEST_SEARCH}
        value={text}
        placeholder={t("inbox.search")}
        aria-label={t("inbox.search")}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
}

interface RowsProps {
  filter: Filter;
  section: string;
  open: string | null;
  me: string | null;
  onRows: (rows: Row[]) => void;
}

function Rows({ filter, section, open, me, onRows }: RowsProps) {
  const { client } = useApp();
  const [more, setMore] = useState<Rows | null>(null);
  const first = useLiveList((signal) => list(client, filter, null, signal), [client, filter], POLL_MS, (hint, shown) => {
    const row = shown?.rows.find((one) => one.context === hint.context && one.key === hint.key);
    return row ? row.version < hint.version : filter.context === null || filter.context === hint.context;
  });
  const cursor = more ? more.cursor : (first.value?.cursor ?? null);
  const lookedBackTo = (more ?? first.value)?.lookedBackTo ?? null;
  const next = useAction(async () => {
    const page = await list(client, filter, cursor, new AbortController().signal);
    setMore({ ...page, rows: [...(more?.rows ?? []), ...page.rows] });
  });
  useEffect(() => {
    if (first.value) onRows([...first.value.rows, ...(more?.rows ?? [])]);
  }, [first.value, more]);
  if (first.value === null && first.error) return <ErrorNotice error={first.error} onRetry={() => void first.reload()} />;
  if (first.value === null) return <Skeleton rows={8} kind="row" />;
  const isNarrow = Boolean(filter.q || filter.unread || filter.channel || filter.address || filter.label || (filter.assignee && section !== "mine"));
  const known = new Set(first.value.rows.map((row) => row.key));
  const rows = [...first.value.rows, ...(more?.rows.filter((row) => !known.has(row.key)) ?? [])];
  return (
    <div class="list-rows">
      {first.error && <ErrorNotice error={first.error} onRetry={() => void first.reload()} />}
      {rows.length === 0 ? (
        <Empty icon={isNarrow ? "search" : "check"} title={t(isNarrow ? "inbox.no_match.title" : "inbox.empty.title")}>
          {t(isNarrow ? "inbox.no_match.text" : "inbox.empty.text")}
        </Empty>
      ) : (
        <ul>
          {rows.map((row) => (
            <InboxRow key={`${row.context}/${row.key}`} row={row} section={section} current={row.key === open} me={me} />
          ))}
        </ul>
      )}
      {filter.q && cursor !== null && lookedBackTo && <p class="quiet">{t("inbox.searched_back_to", { moment: moment(lookedBackTo) })}</p>}
      <MoreButton isOffered={cursor !== null} next={next} />
    </div>
  );
}
