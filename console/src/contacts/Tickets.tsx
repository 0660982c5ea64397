// The tickets of the help desk that a person has opened, for who may read them.

import { useResource } from "../api/resource";
import { useApp } from "../app";
import { moment } from "../texts/format";
import { t } from "../texts/texts";

export function Tickets({ contactId }: { contactId: string }) {
  const { client } = useApp();
  const found = useResource(
    async (signal) => (await client.call("GET /contacts/{contact_id}/tickets", { path: { contact_id: contactId }, signal })).result.tickets,
    [client, contactId],
  );
  if (!found.value?.length) return null;
  return (
    <section class="facts-part" aria-labelledby="contact-tickets">
      <h3 id="contact-tickets">{t("context.richpanel")}</h3>
      <ul class="contact-list">
        {found.value.map(({ ticketId, lastActivityAt }) => (
          <li key={ticketId}>
            <span>
              {ticketId}
              <time class="contact-detail quiet" dateTime={lastActivityAt}>
                {moment(lastActivityAt)}
              </time>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
