// A person over all contexts: who this is, what may be written, and everything that people have stored.

import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { Labels } from "../conversations/contact/Labels";
import { t } from "../texts/texts";
import { Empty, ErrorNotice, Skeleton } from "../ui/controls";
import { concernsRows, useReloadAfterHints } from "../live/hooks";
import { Frame } from "../ui/frame";
import { AttributeForm } from "./person/AttributeForm";
import { Consent } from "./reachability/Consent";
import { History } from "./History";
import { Identifiers } from "./person/Identifiers";
import { NoteList } from "./NoteList";
import { rightsOf } from "../operations/access";
import { Person } from "./person/Person";
import { Suggestions } from "./person/Suggestions";
import { contactOf, conversationsOf, type Contact } from "./source";
import { Tickets } from "./Tickets";
import { Timeline } from "./Timeline";
import { placeOf, withQuery } from "../shell/router";
import { usePageList } from "../api/pageList";
import "../ui/styles/pages.css";

const PAUSE_MS = 3_000;

export function ContactPage({ id }: { id: string | null }) {
  const { client } = useApp();
  const contact = useResource(async (signal) => (id ? contactOf(client, id, signal) : null), [client, id]);
  const isGone = !id || contact.error?.code === "contact_not_found";
  if (contact.value) return <Shown contact={contact.value} onChange={contact.reload} />;
  return (
    <main class="pane">
      {isGone ? (
        <Empty icon="person" title={t("contact.none.title")}>
          {t("contact.none.text")}
        </Empty>
      ) : contact.error ? (
        <ErrorNotice error={contact.error} onRetry={() => void contact.reload()} />
      ) : (
        <Skeleton rows={4} kind="row" />
      )}
    </main>
  );
}

function Shown({ contact, onChange }: { contact: Contact; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const session = useSession();
  const me = session.person?.principal ?? null;
  const id = contact.contactId;
  const conversations = usePageList((cursor, signal) => conversationsOf(client, id, cursor, signal), [client, id]);
  useReloadAfterHints(conversations.first, PAUSE_MS, (hint) => concernsRows(hint, conversations.items));
  const consents = useResource(
    async (signal) => (await client.call("GET /contacts/{contact_id}/consents", { path: { contact_id: id }, signal })).result,
    [client, id],
  );
  const title = contact.name ?? contact.handles[0]?.text ?? t("inbox.unknown");
  const reload = async () => {
    await Promise.all([onChange(), conversations.reload(), consents.reload()]);
  };
  const facts = (
    <>
      <Person contact={contact} onChange={onChange} />
      <Identifiers contact={contact} onChange={reload} />
      <Consent contactId={id} consents={consents} me={me} />
      <AttributeForm contact={contact} onChange={onChange} />
      <Labels
        conversation={`contact/${id}`}
        labels={contact.labels}
        onSet={({ labels }) => client.call("PATCH /contacts/{contact_id}", { path: { contact_id: id }, body: { labels } })}
        onChange={onChange}
      />
      <Suggestions contact={contact} onChange={reload} />
      <Tickets contactId={id} />
      <History contactId={id} version={contact.version} me={me} />
      {rightsOf(session).admin && (
        <p class="facts-part">
          <a href={withQuery(placeOf("operations", "privacy"), `contact_id=${encodeURIComponent(id)}`)}>{t("contact.privacy")}</a>
        </p>
      )}
    </>
  );
  return (
    <div class="contact">
      <Frame title={title} line={contact.organisation ?? t("contact.person")} icon="person" back="all" facts={facts}>
        <div class="contact-page">
          <Timeline conversations={conversations} consents={consents.value} />
          <NoteList key={id} contactId={id} me={me} />
        </div>
      </Frame>
    </div>
  );
}
