import { actor, ahead, span, when } from "../texts/format";
import { previewText } from "../texts/preview";
import { placeOf, useQuery, withQuery } from "../shell/router";
import { named, t, tn, type Key } from "../texts/texts";
import { Icon, type IconName } from "../ui/icons";
import { Avatar, Badge } from "../ui/controls";
import { dueOf } from "./due";
import type { Row } from "./source";

export const CHANNEL_ICONS: Record<Row["channel"], IconName> = { whatsapp: "chat", sms: "phone", email: "mail" };

export function titleOf(row: Row): string {
  return row.contact ?? row.handleText ?? t("inbox.unknown");
}

interface Props {
  row: Row;
  section: string;
  current: boolean;
  me: string | null;
  showsStatus: boolean; // in a list of several statuses
  chosen: boolean;
  onChoose: (isRange: boolean) => void;
}

export function InboxRow({ row, section, current, me, showsStatus, chosen, onChoose }: Props) {
  const query = useQuery();
  const title = titleOf(row);
  const unread = row.unreadCount > 0;
  return (
    <li class="row-line">
      <label class="row-choice">
        <input
          type="checkbox"
          checked={chosen}
          aria-label={t("bulk.choose", { name: title })}
          onClick={(event) => onChoose(event.shiftKey)}
        />
      </label>
      <a
        class={`row ${unread ? "row-unread" : ""}`}
        href={withQuery(placeOf(section, row.context, row.key), query)}
        aria-current={current ? "true" : undefined}
      >
        <span class="row-avatar">
          <Avatar name={title} />
          <span class={`channel channel-${row.context === "conversations" ? "ai" : row.channel}`}>
            <Icon name={row.context === "conversations" ? "robot" : CHANNEL_ICONS[row.channel]} size={12} />
          </span>
        </span>
        <span class="row-body">
          <span class="row-top">
            <span class="row-title" dir="auto">{title}</span>
            <time class="row-time" dateTime={row.lastActivityAt}>
              {when(row.lastActivityAt)}
            </time>
          </span>
          {row.subject && <span class="row-subject" dir="auto">{row.subject}</span>}
          <span class="row-bottom">
            <span class="row-preview" dir="auto">{row.preview ? previewText(row.preview) : contextLine(row)}</span>
            {unread && (
              <span class="count" aria-label={tn("inbox.unread", row.unreadCount)}>
                {row.unreadCount}
              </span>
            )}
          </span>
          <Marks row={row} me={me} showsStatus={showsStatus} />
        </span>
      </a>
    </li>
  );
}

function contextLine(row: Row): string {
  return row.contextStatus ? named("status", row.contextStatus) : "";
}

export function dueText(row: Row, now = Date.now()): string {
  const due = dueOf(row, now);
  return due ? t(`due.${due.isOver ? "over" : "in"}.${row.dueFor}` as Key, { span: span(due.ms) }) : "";
}

function waitText(since: string, now: number): string {
  return t("inbox.waiting", { span: span(Math.max(0, now - Date.parse(since))) });
}

function DueBadge({ row }: { row: Row }) {
  const due = dueOf(row, Date.now());
  return due && <Badge kind={due.kind}>{dueText(row)}</Badge>;
}

function Marks({ row, me, showsStatus }: Pick<Props, "row" | "me" | "showsStatus">) {
  const needsPerson = row.contextStatus === "handoff_pending";
  if (!showsStatus && !row.assignee && !row.labels.length && row.status !== "snoozed" && !needsPerson && !row.dueAt && !row.waitingSince) return null;
  return (
    <span class="row-marks">
      <DueBadge row={row} />
      {row.waitingSince && <Badge>{waitText(row.waitingSince, Date.now())}</Badge>}
      {showsStatus && <Badge>{t(`inbox.status.${row.status}` as Key)}</Badge>}
      {needsPerson && <Badge kind="warn">{t("status.handoff_pending")}</Badge>}
      {row.status === "snoozed" && row.snoozedUntil && (
        <Badge kind="info">{t("inbox.snoozed_until", { at: ahead(row.snoozedUntil) })}</Badge>
      )}
      {row.assignee && <Badge kind={row.assignee === me ? "accent" : "plain"}>{actor(row.assignee, me)}</Badge>}
      {row.labels.slice(0, 3).map((label) => (
        <Badge key={label}>{label}</Badge>
      ))}
    </span>
  );
}
