// Assigns a conversation: to oneself, a team or a colleague. If the people of the company are not known, to someone who
// has conversations.

import { useEffect, useRef, useState } from "preact/hooks";
import { changedMeanwhile } from "../../api/errors";
import { useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { assigneesOf } from "../../session/assignees";
import { usePeople } from "../../session/people";
import { t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { Button, ErrorNotice, Menu, Skeleton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const MOST_WITHOUT_SEARCH = 8;

interface Props {
  assignee: string | null;
  me: string | null;
  busy: boolean;
  canRemove: boolean;
  offersMe?: boolean; // with a button beside the menu
  onAssign: (assignee: string | null, isUndo?: boolean) => unknown; // of an undo: a promise, rejected with ApiError
}

interface Section {
  title: string | null;
  members: string[];
}

type ChoicesProps = Props & { onDone: () => void };

export function AssignMenu(props: Props) {
  const { assignee, me, busy, canRemove, offersMe } = props;
  const asked = useRef<{ to: string | null; from: string | null } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const change = asked.current;
    if (!change || change.to !== assignee) return;
    asked.current = null;
    const text = change.to ? t("undo.assigned", { who: actor(change.to, me) }) : t("undo.unassigned");
    const canUndo = change.from !== null || canRemove;
    const undo = async () => {
      if (latest.current.assignee !== change.to) throw changedMeanwhile();
      await latest.current.onAssign(change.from, true);
    };
    showToast(text, canUndo ? undo : null);
  }, [assignee]);
  const assign = (to: string | null) => {
    asked.current = { to, from: assignee };
    props.onAssign(to);
  };
  return (
    <>
      <Menu command="assign" label={t("assign.label")} button={<Icon name="person" size={16} />}>
        {(close) => <Choices {...props} onAssign={assign} onDone={close} />}
      </Menu>
      {offersMe && me && assignee !== me && (
        <Button icon="person" busy={busy} onClick={() => assign(me)}>
          {t("action.assign_me")}
        </Button>
      )}
    </>
  );
}

// One list for both sources: the people may arrive while a choice has the focus, which it keeps.
function Choices(props: ChoicesProps) {
  const { client } = useApp();
  const people = usePeople();
  const { teams } = useSession();
  const seen = useResource(
    async (signal) => {
      if (people) return [];
      const { result } = await client.call("GET /inbox", { query: { limit: 100 }, signal });
      return result.conversations.flatMap((row) => (row.assignee ? [row.assignee] : []));
    },
    [client, people === null],
  );
  if (!people && seen.error) return <ErrorNotice error={seen.error} onRetry={() => void seen.reload()} />;
  if (!people && seen.value === null) return <Skeleton rows={2} kind="row" />;
  const me = props.me ? [props.me] : [];
  const found = people && assigneesOf(people, props.me, teams);
  const sections = found
    ? [
        { title: null, members: me },
        { title: t("assign.teams"), members: [...found.mine, ...found.teams] },
        { title: t("assign.people"), members: found.people },
      ]
    : [{ title: null, members: [...new Set([...me, ...(seen.value ?? [])])] }];
  return <List {...props} sections={sections} />;
}

function List({ assignee, me, busy, canRemove, onAssign, onDone, sections }: ChoicesProps & { sections: Section[] }) {
  const [words, setWords] = useState("");
  const panel = useRef<HTMLDivElement>(null);
  const isSearched = sections.flatMap((section) => section.members).length > MOST_WITHOUT_SEARCH;
  useEffect(() => {
    if (!panel.current?.contains(document.activeElement)) panel.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [isSearched]);
  const shown = sections
    .map(({ title, members }) => ({ title, members: members.filter((one) => one !== assignee && contains(actor(one, me), words)) }))
    .filter((section) => section.members.length);
  const choose = (one: string | null) => {
    onDone();
    onAssign(one);
  };
  const first = shown[0]?.members[0];
  return (
    <div class="choices" ref={panel} onKeyDown={(event) => move(event, panel.current)}>
      <p class="choices-title">{t("assign.label")}</p>
      {isSearched && (
        <input
          class="choices-search"
          aria-label={t("assign.search")}
          placeholder={t("assign.search")}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && words.trim() && first && !busy && choose(first)}
        />
      )}
      {shown.map(({ title, members }) => (
        <div key={title} class="choices" role="group" aria-label={title ?? undefined}>
          {title && <p class="choices-title">{title}</p>}
          {members.map((one) => (
            <button key={one} type="button" class="choice" disabled={busy} onClick={() => choose(one)}>
              {actor(one, me)}
            </button>
          ))}
        </div>
      ))}
      {isSearched && !shown.length && <p class="quiet choices-empty">{t("assign.none")}</p>}
      {assignee && canRemove && (
        <button type="button" class="choice" disabled={busy} onClick={() => choose(null)}>
          {t("action.unassign")}
        </button>
      )}
    </div>
  );
}

function contains(name: string, words: string): boolean {
  return words.toLocaleLowerCase().split(/\s+/).every((word) => name.toLocaleLowerCase().includes(word));
}

// Arrow keys go through the field and the choices.
function move(event: KeyboardEvent, panel: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !panel) return;
  event.preventDefault();
  const stops = [...panel.querySelectorAll<HTMLElement>("input, button:not(:disabled)")];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[(at + step + stops.length) % stops.length]?.focus();
}
