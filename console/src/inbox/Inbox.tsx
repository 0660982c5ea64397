// The list of conversations, and beside it the open one. On a phone one of the two is shown.

import { useEffect, useMemo, useState } from "preact/hooks";
import { POLL_MS, useAction, useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { AssigneeFilter } from "./AssigneeFilter";
import { Conversation } from "./Conversation";
import { InboxRow } from "./InboxRow";
import { addressesOf, list, type Context, type Filter, type Rows, type Status } from "./source";
import { useLiveList } from "../live/hooks";
import { t, type Key } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Button, Empty, ErrorNotice, Skeleton } from "../ui/parts";

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
  const [address, setAddress] = useState<string | null>(null);
  const [assignee, setAssignee] = useState<string | null>(null);
  const me = useSession().person?.principal ?? null;
  const filter = useMemo<Filter>(
    () => ({
      context: section === "all" || section === "mine" ? null : (section as Context),
      status,
      assignee: section === "mine" ? me : assignee,
      unread,
      address,
      q: words.trim(),
    }),
    [section, status, unread, address, assignee, words, me],
  );
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
          <Addresses context={filter.context} chosen={address} onChoose={setAddress} />
          {section !== "mine" && <AssigneeFilter chosen={assignee} onChoose={setAssignee} />}
          <div class="tabs" role="group" aria-label={t("inbox.filter")}>
            {STATUSES.map((name) => (
              <button key={name} type="button" class="tab" aria-pressed={name === status} onClick={() => setStatus(name)}>
                {t(`inbox.status.${name}` as Key)}
              </button>
            ))}
          </div>
        </header>
        <Rows key={JSON.stringify(filter)} filter={filter} section={section} open={conversation} me={me} />
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

function Addresses({ context, chosen, onChoose }: { context: Context | null; chosen: string | null; onChoose: (address: string | null) => void }) {
  const { client } = useApp();
  const found = useResource((signal) => addressesOf(client, context, signal), [client, context]);
  useEffect(() => onChoose(null), [context]);
  if (!found.value?.length) return null;
  return (
    <select aria-label={t("inbox.address")} value={chosen ?? ""} onChange={(event) => onChoose(event.currentTarget.value || null)}>
      <option value="">{t("inbox.address_all")}</option>
      {found.value.map((one) => (
        <option key={one.address} value={one.address}>
          {one.name}
        </option>
      ))}
    </select>
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

function Rows({ filter, section, open, me }: { filter: Filter; section: string; open: string | null; me: string | null }) {
  const { client } = useApp();
  const [more, setMore] = useState<Rows | null>(null);
  const first = useLiveList((signal) => list(client, filter, null, signal), [client, filter], POLL_MS, (hint, shown) => {
    const row = shown?.rows.find((one) => one.context === hint.context && one.key === hint.key);
    return row ? row.version < hint.version : filter.context === null || filter.context === hint.context;
  });
  const cursor = more ? more.cursor : (first.value?.cursor ?? null);
  const next = useAction(async () => {
    const page = await list(client, filter, cursor, new AbortController().signal);
    setMore({ rows: [...(more?.rows ?? []), ...page.rows], cursor: page.cursor });
  });
  if (first.value === null && first.error) return <ErrorNotice error={first.error} onRetry={() => void first.reload()} />;
  if (first.value === null) return <Skeleton rows={8} kind="row" />;
  const known = new Set(first.value.rows.map((row) => row.key));
  const rows = [...first.value.rows, ...(more?.rows.filter((row) => !known.has(row.key)) ?? [])];
  return (
    <div class="list-rows">
      {first.error && <ErrorNotice error={first.error} onRetry={() => void first.reload()} />}
      {rows.length === 0 ? (
        <Empty icon={filter.q ? "search" : "check"} title={t(filter.q ? "inbox.no_match.title" : "inbox.empty.title")}>
          {t(filter.q ? "inbox.no_match.text" : "inbox.empty.text")}
        </Empty>
      ) : (
        <ul>
          {rows.map((row) => (
            <InboxRow key={`${row.context}/${row.key}`} row={row} section={section} current={row.key === open} me={me} />
          ))}
        </ul>
      )}
      {next.error && <ErrorNotice error={next.error} onRetry={() => void next.run()} />}
      {cursor && (
        <Button kind="quiet" busy={next.busy} onClick={() => void next.run()}>
          {t("inbox.more")}
        </Button>
      )}
    </div>
  );
}
