import { Component } from "preact";
import { actor, ahead, span, when } from "../texts/format";
import { previewText } from "../texts/preview";
import { placeOf, withQuery } from "../shell/router";
import { isolated, named, t, tn, type Key } from "../texts/texts";
import { Icon, type IconName } from "../ui/icons";
import { Avatar, Badge } from "../ui/controls";
import { dueOf } from "./due";
import type { Row } from "./source";

export const CHANNEL_ICONS: Record<Row["channel"], IconName> = { whatsapp: "chat", sms: "phone", email: "mail" };

export function titleOf(row: Row): string {
  return row.contact ?? row.handleText ?? t("inbox.unknown");
}

export interface InboxRowProps {
  row: Row;
  section: string;
  query: string; // of the list
  current: boolean;
  me: string | null;
  showsStatus: boolean; // in a list of several statuses
  isNamesake: boolean; // of another row
  address: string | null; // of the company, if another row has the same name, channel and handle
  chosen: boolean;
  onChoose: (row: Row, isRange: boolean) => void;
}

const MINUTE_MS = 60_000; // of times that grow

// A list may have thousands of rows, of which a change concerns few.
export class InboxRow extends Component<InboxRowProps> {
  minute = 0;

  override shouldComponentUpdate(next: InboxRowProps): boolean {
    if ((next.row.waitingSince || next.row.dueAt) && Math.floor(Date.now() / MINUTE_MS) !== this.minute) return true;
    return Object.entries(next).some(([name, value]) => value !== this.props[name as keyof InboxRowProps]);
  }

  override render() {
    this.minute = Math.floor(Date.now() / MINUTE_MS);
    return <Line {...this.props} />;
  }
}

function Line({ row, section, query, current, me, showsStatus, isNamesake, address, chosen, onChoose }: InboxRowProps) {
  const title = titleOf(row);
  const unread = row.unreadCount > 0;
  return (
    <li class="row-line">
      <label class="row-choice">
        <input
          type="checkbox"
          checked={chosen}
          aria-label={t("bulk.choose", { name: title })}
          onClick={(event) => onChoose(row, event.shiftKey)}
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
          <Marks row={row} me={me} showsStatus={showsStatus} isNamesake={isNamesake} address={address} />
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

function Marks({ row, me, showsStatus, isNamesake, address }: Pick<InboxRowProps, "row" | "me" | "showsStatus" | "isNamesake" | "address">) {
  const needsPerson = row.contextStatus === "handoff_pending";
  if (!showsStatus && !isNamesake && !row.assignee && !row.labels.length && row.status !== "snoozed" && !needsPerson && !row.dueAt && !row.waitingSince) return null;
  return (
    <span class="row-marks">
      {isNamesake && <Badge kind="whole">{[t(`channel.${row.channel}`), row.handleText].filter(Boolean).map(isolated).join(" · ")}</Badge>}
      {address && <Badge kind="whole">{t("inbox.to_address", { address: isolated(address) })}</Badge>}
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
