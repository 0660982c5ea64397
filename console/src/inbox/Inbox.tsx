// The list of conversations, and beside it the open one. On a phone one of the two is shown.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { POLL_MS, useAction, useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { Conversation, loadBefore } from "./Conversation";
import { askedOf, LONGEST_SEARCH, queryOf, statusOf, type Asked } from "./address";
import { rangeOf, type Target } from "./bulk/job";
import { BulkStatus, SelectionBar } from "./bulk/SelectionBar";
import { Filters } from "./Filters";
import { InboxRow, type InboxRowProps } from "./InboxRow";
import { filtersOf } from "./savedViews";
import { Views } from "./Views";
import { addressesOf, extended, idOf, labelsOf, list, namesakesOf, refreshed, showsNumbers, type Address, type Context, type Filter, type Row, type Rows, type Status } from "./source";
import { useLiveList } from "../live/hooks";
import { rightsOf } from "../operations/access";
import { changeQuery, placeOf, useQuery } from "../shell/router";
import { moment } from "../texts/format";
import { t, type Key } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Empty, ErrorNotice, MoreButton, Skeleton } from "../ui/controls";

const STATUSES: Status[] = ["open", "snoozed", "resolved", "archived"];
const TYPING_PAUSE_MS = 250;

interface Props {
  section: string;
  context: string | null;
  conversation: string | null;
}

export function Inbox({ section, context, conversation }: Props) {
  const query = useQuery();
  const asked = useMemo(() => askedOf(query), [query]);
  const status = statusOf(asked);
  const ask = (change: Partial<Asked>, isStep = true) => changeQuery(queryOf({ ...asked, ...change }), isStep);
  const { client } = useApp();
  const [labels, setLabels] = useState<string[]>([]);
  const [hasNumbers, setHasNumbers] = useState(false); // in rows of WhatsApp
  const me = useSession().person?.principal ?? null;
  const filter = useMemo<Filter>(
    () => ({
      context: section === "all" || section === "mine" ? null : (section as Context),
      ...asked,
      status,
      assignee: section === "mine" ? me : asked.assignee,
    }),
    [section, asked, me],
  );
  const named = filter.context ?? (hasNumbers ? "whatsapp" : null);
  const addresses = useResource((signal) => addressesOf(client, named, signal), [client, named]).value ?? [];
  const isOpen = context !== null && conversation !== null;
  const note = (rows: Row[]) => {
    setLabels((old) => labelsOf(rows, old));
    setHasNumbers(showsNumbers(rows));
    loadBefore(rows.map((row) => row.context));
  };
  return (
    <div class={`inbox ${isOpen ? "inbox-open" : ""}`}>
      <section class="list" aria-label={t("inbox.list")}>
        <header class="list-head">
          <h1>{t(`nav.${section}` as Key)}</h1>
          <div class="search-line">
            <Search key={section} words={asked.q} onChange={(q) => ask({ q, ...(q ? {} : { status: null }) }, !asked.q)} />
            <button type="button" class="tab" aria-pressed={asked.unread} onClick={() => ask({ unread: !asked.unread })}>
              {t("inbox.only_unread")}
            </button>
          </div>
          <Views shown={filtersOf(section, asked, status, me)} />
          <Filters context={filter.context} isMine={section === "mine"} addresses={filter.context ? addresses : []} labels={labels} choice={asked} onChoose={(choice) => ask(choice)} />
          <div class="tabs" role="group" aria-label={t("inbox.filter")}>
            {(asked.q ? (["all", ...STATUSES] as const) : STATUSES).map((name) => (
              <button key={name} type="button" class="tab" aria-pressed={name === status} onClick={() => ask({ status: name })}>
                {t(`inbox.status.${name}` as Key)}
              </button>
            ))}
          </div>
        </header>
        <Rows key={JSON.stringify(filter)} filter={filter} section={section} query={query} open={conversation} me={me} addresses={addresses} onRows={note} />
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

function Search({ words, onChange }: { words: string; onChange: (words: string) => void }) {
  const [text, setText] = useState(words);
  const asked = useRef(words);
  // Back and other places change the words; an answer to what was typed here does not change what is typed meanwhile.
  useEffect(() => {
    if (words === asked.current) return;
    asked.current = words;
    setText(words);
  }, [words]);
  useEffect(() => {
    if (text.trim() === asked.current) return;
    const timer = setTimeout(() => {
      asked.current = text.trim();
      onChange(asked.current);
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        dir="auto"
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
  query: string;
  open: string | null;
  me: string | null;
  addresses: Address[]; // of the company, as far as their names are known
  onRows: (rows: Row[]) => void;
}

function Rows({ filter, section, query, open, me, addresses, onRows }: RowsProps) {
  const session = useSession();
  const { client } = useApp();
  const known = useRef<Rows | null>(null);
  const [, redraw] = useState(0);
  const first = useLiveList((signal) => list(client, filter, null, signal), [client, filter], POLL_MS, (hint, shown) => {
    if (hint.version === undefined) return false;
    const row = shown?.rows.find((one) => one.context === hint.context && one.key === hint.key);
    return row ? row.version < hint.version : filter.context === null || filter.context === hint.context;
  });
  // While rendering: the first page and what follows it change together.
  useMemo(() => {
    known.current = first.value && refreshed(known.current, first.value, !filter.q && !filter.waiting);
  }, [first.value]);
  const cursor = known.current?.cursor ?? null;
  const lookedBackTo = known.current?.lookedBackTo ?? null;
  const next = useAction(async () => {
    const page = await list(client, filter, cursor, new AbortController().signal);
    // The list may have begun anew meanwhile.
    if (!known.current || known.current.cursor !== cursor) return;
    known.current = extended(known.current, page);
    redraw((count) => count + 1);
  });
  useEffect(() => {
    if (known.current) onRows(known.current.rows);
  }, [known.current]);
  const [chosen, setChosen] = useState<ReadonlyMap<string, Target>>(new Map());
  const anchor = useRef<string | null>(null); // where Shift begins
  const chooser = useRef<InboxRowProps["onChoose"]>(() => undefined);
  const chooseLatest = useCallback<InboxRowProps["onChoose"]>((row, isRange) => chooser.current(row, isRange), []);
  if (first.value === null && first.error) return <ErrorNotice error={first.error} onRetry={() => void first.reload()} />;
  if (first.value === null) return <Skeleton rows={8} kind="row" />;
  const isNarrow = Boolean(filter.q || filter.unread || filter.unassigned || filter.waiting || filter.channel || filter.address || filter.label || filter.due || (filter.assignee && section !== "mine"));
  const rows = known.current?.rows ?? [];
  const namesakes = namesakesOf(rows);
  const addressOf = (row: Row) => (namesakes.get(row) === "address" ? (addresses.find((one) => one.address === row.address)?.name ?? row.addressText ?? row.address) : null);
  chooser.current = (row, isRange) => {
    const id = idOf(row);
    const isChosen = !chosen.has(id);
    const ids = isRange && anchor.current ? rangeOf(rows.map(idOf), anchor.current, id) : [id];
    anchor.current = id;
    const next = new Map(chosen);
    for (const one of rows.filter((row) => ids.includes(idOf(row)))) {
      if (isChosen) next.set(idOf(one), { context: one.context, key: one.key });
      else next.delete(idOf(one));
    }
    setChosen(next);
  };
  return (
    <div class="list-rows">
      <BulkStatus onEnd={() => void first.reload()} />
      <SelectionBar chosen={[...chosen.values()]} filter={filter} hasMore={cursor !== null} onClear={() => setChosen(new Map())} />
      {first.error && <ErrorNotice error={first.error} onRetry={() => void first.reload()} />}
      {rows.length === 0 ? (
        <Empty icon={isNarrow ? "search" : "check"} title={t(isNarrow ? "inbox.no_match.title" : "inbox.empty.title")}>
          {t(isNarrow ? "inbox.no_match.text" : "inbox.empty.text")}
          {!isNarrow && rightsOf(session).admin && (
            <>
              {" "}
              <a class="link" href={placeOf("operations", "setup")}>
                {t("ops.part.setup")}
              </a>
            </>
          )}
        </Empty>
      ) : (
        <ul>
          {rows.map((row) => (
            <InboxRow key={idOf(row)} row={row} section={section} query={query} current={row.key === open} me={me} showsStatus={filter.status === "all"} isNamesake={namesakes.has(row)} address={addressOf(row)} chosen={chosen.has(idOf(row))} onChoose={chooseLatest} />
          ))}
        </ul>
      )}
      {filter.q && cursor !== null && lookedBackTo && <p class="quiet">{t("inbox.searched_back_to", { moment: moment(lookedBackTo) })}</p>}
      {/* A page that finds little is followed by the next one only when a person asks. */}
      <MoreButton isOffered={cursor !== null} next={next} loadsWhenSeen={!isNarrow && !next.error} />
    </div>
  );
}
