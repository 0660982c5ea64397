// Changes the chosen conversations, or all that match the list; and shows how far a change is, and its result.

import { useEffect, useState } from "preact/hooks";
import { useApp, useSession } from "../../app";
import { assigneesOf } from "../../people/assignees";
import { usePeople } from "../../people/people";
import { actor } from "../../texts/format";
import { named, t, tn, type Key } from "../../texts/texts";
import { Button, IconButton, Menu } from "../../ui/controls";
import type { Filter } from "../source";
import type { Action, Target } from "./change";
import { MOST } from "./job";

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
    bulk.begin({ action, value }, [...chosen], isAll ? filter : null);
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
  const [job, setJob] = useState(bulk.current);
  useEffect(() => {
    const look = () => {
      setJob(bulk.current);
      if (bulk.current?.stage === "ended") onEnd();
    };
    if (bulk.isActive) void bulk.resume(); // after a reload
    return bulk.onChange(look);
  }, [bulk]);
  if (!job) return null;
  const { stage, total, next, done, skipped, refused } = job;
  return (
    <div class={`notice ${refused.length ? "notice-warn" : ""}`}>
      <div>
        <p role="status">
          <b>{t(`bulk.action.${job.wanted.action}` as Key)}</b> {stage === "listing" ? t("bulk.listing") : stage === "ended" ? tn("bulk.done", done) : t("bulk.progress", { next, total })}
          {stage === "ended" && skipped > 0 && ` ${tn("bulk.skipped", skipped)}`}
          {stage === "ended" && job.isCut && ` ${t("bulk.cut", { most: MOST })}`}
        </p>
        {(stage === "changing" || stage === "stopped") && <progress value={next} max={total} aria-label={t("bulk.label")} />}
        {refused.length > 0 && <p class="detail">{tn("bulk.refused", refused.length)}</p>}
        {refused.slice(0, SHOWN).map(({ target, code }) => (
          <p key={`${target.context}/${target.key}`} class="detail">
            <b>{target.title}</b> {named("error", code)}
          </p>
        ))}
      </div>
      {bulk.isActive ? (
        <Button kind="quiet" onClick={() => bulk.stop()}>
          {t("bulk.stop")}
        </Button>
      ) : (
        <>
          {stage === "stopped" && (
            <Button kind="quiet" onClick={() => void bulk.resume()}>
              {t("bulk.resume")}
            </Button>
          )}
          <IconButton icon="close" label={t("bulk.dismiss")} onClick={() => bulk.dismiss()} />
        </>
      )}
    </div>
  );
}
