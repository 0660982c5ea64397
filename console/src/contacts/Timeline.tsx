// The conversations of a person over all contexts, and where to write to the person.

import { CHANNEL_ICONS, titleOf } from "../inbox/InboxRow";
import type { Row } from "../inbox/source";
import { placeOf } from "../shell/router";
import { moment } from "../texts/format";
import { previewText } from "../texts/preview";
import { named, t, type Key } from "../texts/texts";
import { ErrorNotice, MoreButton, Skeleton } from "../ui/controls";
import { Icon } from "../ui/icons";
import type { PageList } from "../api/pageList";
import { isOptedOut, writable, type Consents } from "./source";

export function Timeline({ conversations, consents }: { conversations: PageList<Row>; consents: Consents | null }) {
  const { first, items } = conversations;
  return (
    <section aria-labelledby="contact-conversations">
      <h3 id="contact-conversations">{t("contact.conversations")}</h3>
      {consents && <WriteTo rows={items} consents={consents} />}
      {first.error ? (
        <ErrorNotice error={first.error} onRetry={() => void first.reload()} />
      ) : first.value === null ? (
        <Skeleton rows={3} kind="row" />
      ) : items.length === 0 ? (
        <p class="quiet">{t("others.none")}</p>
      ) : (
        <ol class="contact-timeline">
          {items.map((row) => (
            <li key={`${row.context}/${row.key}`}>
              <Entry row={row} />
            </li>
          ))}
        </ol>
      )}
      <MoreButton isOffered={conversations.hasMore} next={conversations.next} />
    </section>
  );
}

// Only channels whose consent is known: before that nothing is offered.
function WriteTo({ rows, consents }: { rows: Row[]; consents: Consents }) {
  const newest = [...writable(rows)];
  if (newest.length === 0) return null;
  return (
    <p class="contact-buttons">
      {newest.map(([channel, row]) => {
        const name = t(`channel.${channel}` as Key);
        return isOptedOut(consents, channel) ? (
          <span key={channel} class="quiet">
            {t("contact.opted_out_of", { channel: name })}
          </span>
        ) : (
          <a key={channel} class="button button-plain" href={placeOf("all", row.context, row.key)}>
            <Icon name={CHANNEL_ICONS[channel]} size={16} />
            {t("contact.write", { channel: name })}
          </a>
        );
      })}
    </p>
  );
}

function Entry({ row }: { row: Row }) {
  const status = row.contextStatus ? named("status", row.contextStatus) : t(`inbox.status.${row.status}` as Key);
  return (
    <a class="other" href={placeOf("all", row.context, row.key)}>
      <Icon name={row.context === "conversations" ? "robot" : CHANNEL_ICONS[row.channel]} size={16} />
      <span class="other-text">
        <span>{row.subject ?? titleOf(row)}</span>
        {row.preview && <span>{previewText(row.preview)}</span>}
        <span class="quiet">
          {t(`channel.${row.channel}` as Key)} · {status} · <time dateTime={row.lastActivityAt}>{moment(row.lastActivityAt)}</time>
        </span>
      </span>
    </a>
  );
}
