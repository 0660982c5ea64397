// The contact's other conversations, over all contexts that the person may read.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { concernsRows, useReloadAfterHints } from "../../live/hooks";
import { when } from "../../texts/format";
import { CHANNEL_ICONS, titleOf } from "../../inbox/InboxRow";
import type { Context, Row } from "../../inbox/source";
import { placeOf } from "../../shell/router";
import { previewText } from "../../texts/preview";
import { named, t, type Key } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { ErrorNotice, Skeleton } from "../../ui/controls";
import { isSameHandle } from "./handles";

interface Props {
  handles: (string | null | undefined)[];
  context: Context;
  id: string;
}

const SHOWN = 10;
const PAUSE_MS = 30_000; // a search compares up to 2,000 conversations

export function OtherConversations({ handles, context, id }: Props) {
  const { client } = useApp();
  const known = [...new Set(handles.filter((handle): handle is string => Boolean(handle)))];
  const found = useResource(
    async (signal) => {
      const pages = await Promise.all(
        // Numbers are stored with and without a plus sign: digits find both.
        known.map((handle) => client.call("GET /inbox", { query: { q: handle.replace(/^\+/, ""), limit: 50 }, signal })),
      );
      const rows = pages.flatMap((page) => page.result.conversations).filter((row) => known.some((handle) => isSameHandle(row.handle, handle)));
      const each = [...new Map(rows.map((row) => [`${row.context}/${row.key}`, row])).values()];
      const isOpen = (row: Row) => row.context === context && row.key === id;
      return { contactId: each.find(isOpen)?.contactId ?? null, others: each.filter((row) => !isOpen(row)) };
    },
    [client, known.join(" "), context, id],
  );
  useReloadAfterHints(found, PAUSE_MS, (hint, value) => concernsRows(hint, value?.others) && !(hint.context === context && hint.key === id));
  if (known.length === 0) return null;
  return (
    <section class="facts-part">
      <h3>
        <Icon name="inbox" size={16} /> {t("others.title")}
      </h3>
      {found.error ? (
        <ErrorNotice error={found.error} onRetry={() => void found.reload()} />
      ) : found.value === null ? (
        <Skeleton rows={2} kind="row" />
      ) : found.value.others.length === 0 ? (
        <p class="quiet">{t("others.none")}</p>
      ) : (
        <ul class="others">
          {found.value.others.slice(0, SHOWN).map((row) => (
            <Other key={`${row.context}/${row.key}`} row={row} />
          ))}
        </ul>
      )}
      {found.value?.contactId && (
        <a class="link" href={placeOf("contacts", found.value.contactId)}>
          {t("contact.open")}
        </a>
      )}
    </section>
  );
}

function Other({ row }: { row: Row }) {
  return (
    <li>
      <a class="other" href={placeOf("all", row.context, row.key)}>
        <Icon name={row.context === "conversations" ? "robot" : CHANNEL_ICONS[row.channel]} size={16} />
        <span class="other-text">
          <span>{row.subject ?? (row.preview ? previewText(row.preview) : titleOf(row))}</span>
          <span class="quiet">
            {[t(`channel.${row.channel}` as Key), row.contextStatus ? named("status", row.contextStatus) : t(`inbox.status.${row.status}` as Key), when(row.lastActivityAt)].join(" · ")}
          </span>
        </span>
      </a>
    </li>
  );
}
