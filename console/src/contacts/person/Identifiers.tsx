// The identifiers of a person with their proof. Those that people have named can be added and removed.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { CHANNEL_ICONS } from "../../inbox/InboxRow";
import { t, type Key } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { showToast } from "../../ui/toastList";
import type { Contact } from "../source";

const KINDS = ["phone", "email", "external"] as const;
type Kind = (typeof KINDS)[number];
type Identifier = Contact["identifiers"][number];

export function Identifiers({ contact, onChange }: { contact: Contact; onChange: () => Promise<void> }) {
  return (
    <section class="facts-part" aria-labelledby="contact-identifiers">
      <h3 id="contact-identifiers">
        <Icon name="tag" size={16} /> {t("contact.identifiers")}
      </h3>
      <ul class="contact-list">
        {contact.handles.map((one) => (
          <li key={`${one.channel} ${one.handle}`}>
            <Icon name={CHANNEL_ICONS[one.channel]} size={14} />
            <span>
              <bdi>{one.text}</bdi> <span class="quiet">{t("contact.proof.provider", { channel: t(`channel.${one.channel}` as Key) })}</span>
            </span>
          </li>
        ))}
        {contact.identifiers.map((one) => (
          <Named key={one.identifierId} contactId={contact.contactId} one={one} onChange={onChange} />
        ))}
      </ul>
      <Add contactId={contact.contactId} onChange={onChange} />
    </section>
  );
}

function Named({ contactId, one, onChange }: { contactId: string; one: Identifier; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const remove = useAction(async () => {
    await client.call("DELETE /contacts/{contact_id}/identifiers/{identifier_id}", {
      path: { contact_id: contactId, identifier_id: one.identifierId },
    });
    await onChange();
    showToast(t("contact.identifier_removed"), async () => {
      await client.call("POST /contacts/{contact_id}/identifiers", { path: { contact_id: contactId }, body: { kind: one.kind as Kind, value: one.value } });
      await onChange();
    });
  });
  return (
    <li>
      <Icon name={one.kind === "email" ? "mail" : one.kind === "phone" ? "phone" : "file"} size={14} />
      <span>
        <bdi>{one.text}</bdi> <span class="quiet">{t("contact.proof.company")}</span>
        {remove.error && <ErrorNotice error={remove.error} />}
      </span>
      <button type="button" class="icon-button" aria-label={t("contact.remove", { value: one.text })} disabled={remove.busy} onClick={() => void remove.run()}>
        <Icon name="close" size={14} />
      </button>
    </li>
  );
}

function Add({ contactId, onChange }: { contactId: string; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [kind, setKind] = useState<Kind>("phone");
  const [value, setValue] = useState("");
  const add = useAction(async () => {
    await client.call("POST /contacts/{contact_id}/identifiers", { path: { contact_id: contactId }, body: { kind, value: value.trim() } });
    setValue("");
    await onChange();
  });
  const isTaken = add.error?.code === "identifier_taken";
  return (
    <form
      class="contact-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (value.trim()) void add.run();
      }}
    >
      <Field label={t("contact.kind")} name="kind">
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Kind)}>
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {t(`contact.kind.${one}`)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("contact.value")} name="value" error={add.error}>
        <input
          value={value}
          dir="ltr"
          placeholder={t(`contact.example.${kind}`)}
          aria-invalid={add.error !== null}
          onInput={(event) => {
            add.clear();
            setValue(event.currentTarget.value);
          }}
        />
      </Field>
      {add.error && !add.error.problemOf("value") && <ErrorNotice error={add.error} fields={isTaken ? ["identifier", "contactId"] : []} />}
      <Button type="submit" icon="plus" busy={add.busy} disabled={!value.trim()}>
        {t("contact.add")}
      </Button>
    </form>
  );
}
