// Changes the chosen conversations, or all that match the list; and shows how far a change is, and its result.

import { useEffect, useRef, useState } from "preact/hooks";
import { asApiError } from "../../api/errors";
import { useApp, useSession } from "../../app";
import { assigneesOf } from "../../session/assignees";
import { usePeople } from "../../session/people";
import { actor } from "../../texts/format";
import { named, t, tn, type Key } from "../../texts/texts";
import { placeOf } from "../../shell/router";
import { Button, ErrorNotice, IconButton, Menu } from "../../ui/controls";
import { titleOf } from "../InboxRow";
import type { Filter } from "../source";
import type { Action, Target } from "./job";
import type { Shown } from "./jobs";

const MOST = 2_000; // conversations of one change, as the server has it
const SHOWN = 5; // refused conversations
const SNOOZES = { "bulk.snooze.day": 1, "bulk.snooze.days": 3, "bulk.snooze.week": 7 } as const;

interface Props {
  chosen: readonly Target[];
  filter: Filter;
  hasMore: boolean; // rows of the list that are not shown
  onClear: () => void;
}

export function SelectionBar({ chosen, filter, hasMore, onClear }: Props) {
  const { bulk } = useApp();
  const [isAll, setAll] = useState(false);
  useEffect(() => setAll(false), [chosen.length]);
  if (!chosen.length) return null;
  const begin = (action: Action, value: string | null = null) => {
    void bulk.begin({ action, value }, isAll ? filter : [...chosen]);
    onClear();
  };
  return (
    <div class="selection" role="group" aria-label={t("bulk.label")}>
      <p>
        {isAll ? t("bulk.all", { most: MOST }) : tn("bulk.chosen", chosen.length)}{" "}
        {hasMore && !isAll && (
          <Button kind="quiet" onClick={() => setAll(true)}>
            {t("bulk.choose_all")}
          </Button>
        )}
        <IconButton icon="close" label={t("bulk.clear")} onClick={onClear} />
      </p>
      <div class="selection-actions">
        <Assign onAssign={(assignee) => begin("assign", assignee)} />
        <LabelField onLabel={(label) => begin("label", label)} />
        <Menu label={t("action.snooze")} button={t("action.snooze")} align="start">
          {() => (
            <div class="choices">
              {Object.entries(SNOOZES).map(([key, days]) => (
                <button key={key} type="button" class="choice" onClick={() => begin("snooze", new Date(Date.now() + days * 86_400_000).toISOString())}>
                  {t(key as Key)}
                </button>
              ))}
            </div>
          )}
        </Menu>
        {(["resolve", "archive", "read"] as const).map((action) => (
          <Button key={action} onClick={() => begin(action)}>
            {t(`bulk.action.${action}` as Key)}
          </Button>
        ))}
      </div>
    </div>
  );
}

function Assign({ onAssign }: { onAssign: (assignee: string | null) => void }) {
  const people = usePeople();
  const session = useSession();
  const me = session.person?.principal ?? null;
  const found = people && assigneesOf(people, me, session.teams);
  const members = [...(me ? [me] : []), ...(found ? [...found.mine, ...found.teams, ...found.people] : [])];
  return (
    <select aria-label={t("bulk.assign")} value="" onChange={(event) => event.currentTarget.value && onAssign(event.currentTarget.value === "-" ? null : event.currentTarget.value)}>
      <option value="">{t("bulk.assign")}</option>
      {members.map((one) => (
        <option key={one} value={one}>
          {actor(one, me)}
        </option>
      ))}
      <option value="-">{t("facts.unassigned")}</option>
    </select>
  );
}

function LabelField({ onLabel }: { onLabel: (label: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) onLabel(text.trim());
      }}
    >
      <input value={text} maxLength={50} aria-label={t("labels.add")} placeholder={t("labels.add")} onInput={(event) => setText(event.currentTarget.value)} />
    </form>
  );
}

export function BulkStatus({ onEnd }: { onEnd: () => void }) {
  const { bulk } = useApp();
  const [, redraw] = useState(0);
  const wasActive = useRef(bulk.isActive);
  useEffect(() => {
    const stop = bulk.onChange(() => {
      redraw((count) => count + 1);
      if (wasActive.current && !bulk.isActive) onEnd();
      wasActive.current = bulk.isActive;
    });
    void bulk.look();
    const seen = () => void (document.visibilityState === "visible" && bulk.look(true));
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      stop();
    };
  }, [bulk]);
  const { current: job, failure } = bulk;
  return (
    <>
      {failure !== null && <ErrorNotice error={asApiError(failure)} onRetry={() => void bulk.repeat()} />}
      {failure !== null && <IconButton icon="close" label={t("bulk.dismiss")} onClick={() => bulk.dismiss()} />}
      {job && <Status job={job} />}
    </>
  );
}

function Status({ job }: { job: Shown }) {
  const { bulk } = useApp();
  const { stage, outcome, total, handled, done, skipped, stale, refused } = job;
  const name = t(`bulk.action.${job.action}` as Key);
  const isEnded = stage === "ended";
  return (
    <div class={`notice ${refused || (isEnded && outcome !== "done") ? "notice-warn" : ""}`}>
      <div>
        <p role="status">
          <b>{job.undoes ? t("bulk.undo_of", { action: name }) : name}</b>{" "}
          {isEnded ? tn(job.undoes ? "bulk.undone" : "bulk.done", done) : t(stage === "listing" ? "bulk.listing" : "bulk.changing")}
          {isEnded && stale > 0 && ` ${tn("bulk.stale", stale)}`}
          {isEnded && skipped > 0 && !job.undoes && ` ${tn("bulk.skipped", skipped)}`}
          {isEnded && job.isCut && ` ${t("bulk.cut", { most: MOST })}`}
          {isEnded && outcome && outcome !== "done" && ` ${t(`bulk.outcome.${outcome}` as Key)}`}
        </p>
        {stage === "changing" && (
          <p class="detail">
            <progress value={handled} max={total} aria-label={t("bulk.label")} /> {t("bulk.progress", { next: handled, total })}
          </p>
        )}
        {!isEnded && <p class="detail">{t("bulk.goes_on")}</p>}
        {refused > 0 && <p class="detail">{tn("bulk.refused", refused)}</p>}
        {job.refusals.slice(0, SHOWN).map(({ conversation, code }, place) => (
          <p key={place} class="detail">
            {conversation ? <a href={placeOf("all", conversation.context, conversation.key)}>{titleOf(conversation)}</a> : <b>{t("inbox.unknown")}</b>} {named("error", code)}
          </p>
        ))}
      </div>
      {job.mayBeUndone && (
        <Button kind="quiet" onClick={() => void bulk.undo()}>
          {t("undo.button")}
        </Button>
      )}
      {isEnded ? (
        <IconButton icon="close" label={t("bulk.dismiss")} onClick={() => bulk.dismiss()} />
      ) : (
        <Button kind="quiet" busy={job.isStopping} onClick={() => void bulk.stop()}>
          {t("bulk.stop")}
        </Button>
      )}
    </div>
  );
}
