// People who may be the same person: merges two of them, and undoes it.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { placeOf } from "../../shell/router";
import { isolated, t, tn } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { showToast } from "../../ui/toastList";
import type { Contact } from "../source";

interface Props {
  contact: Contact;
  onChange: () => Promise<void>;
}

export function Suggestions({ contact, onChange }: Props) {
  const { client } = useApp();
  const found = useResource(
    async (signal) => (await client.call("GET /contacts/{contact_id}/suggestions", { path: { contact_id: contact.contactId }, signal })).result.contacts,
    [client, contact.contactId, contact.version],
  );
  if (!found.error && !found.value?.length) return null;
  return (
    <section class="facts-part" aria-labelledby="contact-suggestions">
      <h3 id="contact-suggestions">
        <Icon name="person" size={16} /> {t("contact.suggestions")}
      </h3>
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.reload()} />}
      <ul class="contact-list">
        {found.value?.map((one) => (
          <li key={one.contactId}>
            <Suggested contact={contact} other={one} onChange={onChange} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Suggested({ contact, other, onChange }: Props & { other: Contact }) {
  const { client } = useApp();
  const [moves, setMoves] = useState<number | null>(null);
  const path = { contact_id: contact.contactId };
  const look = useAction(async () => {
    const { result } = await client.call("POST /contacts/{contact_id}/merge", { path, body: { contactId: other.contactId, dryRun: true } });
    setMoves(result.conversations);
  });
  const merge = useAction(async () => {
    const { result } = await client.call("POST /contacts/{contact_id}/merge", { path, body: { contactId: other.contactId } });
    await onChange();
    const mergeId = result.mergeId;
    if (!mergeId) return;
    showToast(t("contact.merged"), async () => {
      await client.call("POST /contacts/merges/{merge_id}/undo", { path: { merge_id: mergeId } });
      await onChange();
    });
  });
  const name = other.name ?? t("inbox.unknown");
  const error = look.error ?? merge.error;
  return (
    <div>
      <a class="link" href={placeOf("contacts", other.contactId)}>
        {name}
      </a>
      <span class="contact-detail quiet">{other.handles.map((one) => isolated(one.text)).join(" · ")}</span>
      {error && <ErrorNotice error={error} />}
      <div class="contact-buttons">
        {moves === null ? (
          <Button busy={look.busy} label={t("contact.merge_with", { name })} onClick={() => void look.run()}>
            {t("contact.merge")}
          </Button>
        ) : (
          <>
            <span role="status">{tn("contact.moves", moves)}</span>
            <Button kind="primary" busy={merge.busy} onClick={() => void merge.run()}>
              {t("contact.merge_now")}
            </Button>
            <Button kind="quiet" onClick={() => setMoves(null)}>
              {t("contact.cancel")}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}
