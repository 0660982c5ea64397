// Who changed what of a person, loaded when it is opened.

import { useState } from "preact/hooks";
import { useApp } from "../app";
import { actor, moment } from "../texts/format";
import { named, t, type Key } from "../texts/texts";
import { ErrorNotice, MoreButton } from "../ui/controls";
import { usePageList } from "../api/pageList";
import { changesOf } from "./source";

interface Props {
  contactId: string;
  version: number;
  me: string | null;
}

export function History(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="facts-part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("contact.history")}</summary>
      {isOpen && <Entries {...props} />}
    </details>
  );
}

function Entries({ contactId, version, me }: Props) {
  const { client } = useApp();
  const changes = usePageList((cursor, signal) => changesOf(client, contactId, cursor, signal), [client, contactId, version]);
  return (
    <>
      {changes.first.error && <ErrorNotice error={changes.first.error} onRetry={() => void changes.reload()} />}
      {changes.first.value && changes.items.length === 0 && <p class="quiet">{t("others.none")}</p>}
      <ul class="contact-list">
        {changes.items.map((one) => (
          <li key={`${one.at} ${one.what}`}>
            <span>
              {t(`contact.change.${one.what}` as Key)}
              {one.fields.length > 0 && `: ${one.fields.map((field) => named("contact.field", field.replace(/^attributes\./, ""))).join(", ")}`}
              <span class="contact-detail quiet">
                {actor(one.by, me)} · <time dateTime={one.at}>{moment(one.at)}</time>
              </span>
            </span>
          </li>
        ))}
      </ul>
      <MoreButton isOffered={changes.hasMore} next={changes.next} />
    </>
  );
}
