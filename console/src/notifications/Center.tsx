// The list of notifications, by kind, and what a person wants to be notified of.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction, useResource, type Resource } from "../api/resource";
import { useApp, useSession } from "../app";
import { rightsOf } from "../operations/access";
import { campaignsOf } from "../reports/accounts";
import { go } from "../shell/router";
import { moment, when } from "../texts/format";
import { t, type Key } from "../texts/texts";
import { Button, Empty, ErrorNotice, Skeleton } from "../ui/controls";
import { SettingsForm } from "./SettingsForm";
import { KINDS, load, type Kind, type Notification, type Notifications } from "./source";
import { nameOf, placeIn, wordsOf } from "./words";

const MOST_CAMPAIGNS = 100; // of each account, and issues

interface Props {
  all: Resource<Notifications>; // of the bell, which reads them again when one arrives
  onClose: () => void;
}

export function Center({ all, onClose }: Props) {
  const { client } = useApp();
  const session = useSession();
  const [kind, setKind] = useState<Kind | null>(null);
  const [isSetting, setSetting] = useState(false);
  const ofKind = useResource(async (signal) => (kind ? load(client, session.teams, kind, signal) : null), [client, kind]);
  const found = kind ? ofKind : all;
  useEffect(() => void all.reload(), []);
  const opened = useRef(all.value);
  useEffect(() => {
    if (kind && all.value !== opened.current) void ofKind.reload();
    opened.current = all.value;
  }, [all.value, kind]);
  const items = found.value?.notifications ?? [];
  const hasCampaigns = rightsOf(session).approves && items.some((one) => one.campaign);
  const campaigns = useResource(async (signal) => (hasCampaigns ? campaignsOf(client, MOST_CAMPAIGNS, signal) : []), [client, hasCampaigns]);
  const hasIssues = items.some((one) => one.issue);
  const issues = useResource(async (signal) => (hasIssues ? (await client.call("GET /newsletters/issues", { query: { limit: MOST_CAMPAIGNS }, signal })).result.issues : []), [client, hasIssues]);
  const list = useRef<HTMLUListElement>(null);
  const readAll = useAction(async () => {
    await client.call("POST /inbox/notifications/read", { body: { upTo: items[0]!.id } });
    await all.reload();
  });
  const open = (one: Notification) => {
    if (!one.isRead) void client.call("POST /inbox/notifications/read", { body: { ids: [one.id] } }).then(all.reload, () => undefined);
    const place = placeIn(one);
    if (!place) return;
    go(place);
    onClose();
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...(list.current?.querySelectorAll("button") ?? [])];
    if (!step || !buttons.length) return;
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + step + buttons.length) % buttons.length]!.focus();
    event.preventDefault();
  };
  if (isSetting && found.value) {
    return (
      <SettingsForm
        settings={found.value.settings}
        onClose={() => setSetting(false)}
        onStored={async () => {
          await all.reload();
          setSetting(false);
        }}
      />
    );
  }
  return (
    <section class="notifications" aria-label={t("notifications.title")}>
      <header>
        <h2>{t("notifications.title")}</h2>
        <Button kind="quiet" busy={readAll.busy} disabled={!items.length || found.value?.unread === 0 || kind !== null} onClick={() => void readAll.run()}>
          {t("notifications.read_all")}
        </Button>
        <Button kind="quiet" onClick={() => setSetting(true)}>
          {t("notifications.settings")}
        </Button>
      </header>
      <label class="field">
        <span class="field-label">{t("notifications.filter")}</span>
        <select value={kind ?? ""} onChange={(event) => setKind((event.currentTarget.value || null) as Kind | null)}>
          <option value="">{t("notifications.all")}</option>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`notifications.kind.${one}` as Key)}
            </option>
          ))}
        </select>
      </label>
      {readAll.error && <ErrorNotice error={readAll.error} />}
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.reload()} />}
      {!found.value && found.loading && <Skeleton rows={3} kind="row" />}
      {found.value && !items.length && <Empty icon="bell" title={t("notifications.empty")} />}
      <ul ref={list} onKeyDown={keys}>
        {items.map((one) => {
          const subject = {
            campaign: campaigns.value?.find(({ campaignId }) => campaignId === one.campaign),
            issue: issues.value?.find(({ issue_id }) => issue_id === one.issue),
          };
          return (
            <li key={`${one.owner} ${one.id}`}>
              <button type="button" class={`notification ${one.isRead ? "" : "notification-unread"}`} onClick={() => open(one)}>
                <b>{nameOf(one, subject)}</b>
                <span>{wordsOf(one, session.person?.principal ?? null, subject)}</span>
                <time dateTime={one.at} title={moment(one.at)}>
                  {when(one.at)}
                </time>
                {!one.isRead && <span class="unseen">{t("notifications.unread")}</span>}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
