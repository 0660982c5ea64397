// Who a person is: shows and changes name, organisation, language and time zone, and to whom the person belongs.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Fact } from "../../ui/frame";
import { Icon } from "../../ui/icons";
import type { Contact } from "../source";

const FIELDS = ["name", "organisation", "language", "zone"] as const;
type Name = (typeof FIELDS)[number];

export function Person({ contact, onChange }: { contact: Contact; onChange: () => Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const me = useSession().person?.principal ?? null;
  return (
    <section class="facts-part" aria-labelledby="contact-person">
      <h3 id="contact-person">
        <Icon name="person" size={16} /> {t("contact.who")}
      </h3>
      {isOpen ? (
        <Form contact={contact} onDone={() => setOpen(false)} onChange={onChange} />
      ) : (
        <>
          <dl>
            {FIELDS.map((name) => (
              <Fact key={name} label={t(`contact.field.${name}`)}>
                {contact[name] ?? <span class="quiet">–</span>}
              </Fact>
            ))}
            <Fact label={t("contact.field.owner")}>{contact.owner ? actor(contact.owner, me) : <span class="quiet">–</span>}</Fact>
          </dl>
          <Button onClick={() => setOpen(true)}>{t("contact.edit")}</Button>
        </>
      )}
    </section>
  );
}

function Form({ contact, onDone, onChange }: { contact: Contact; onDone: () => void; onChange: () => Promise<void> }) {
  const { client } = useApp();
  // What the form was opened with: what another person has entered meanwhile is not overwritten.
  const [opened] = useState(contact);
  const isSame = FIELDS.every((name) => contact[name] === opened[name]);
  const [texts, setTexts] = useState<Record<Name, string>>({
    name: contact.name ?? "",
    organisation: contact.organisation ?? "",
    language: contact.language ?? "",
    zone: contact.zone ?? "",
  });
  const save = useAction(async () => {
    const changed = FIELDS.filter((name) => texts[name].trim() !== (opened[name] ?? ""));
    if (changed.length) {
      const values = Object.fromEntries(changed.map((name) => [name, texts[name].trim() || null]));
      const { version } = isSame ? contact : opened;
      await client.call("PATCH /contacts/{contact_id}", { path: { contact_id: contact.contactId }, body: { ...values, version } });
      await onChange();
    }
    onDone();
  });
  return (
    <form
      class="contact-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {FIELDS.map((name) => (
        <Field key={name} label={t(`contact.field.${name}`)} name={name} error={save.error}>
          <input
            value={texts[name]}
            aria-invalid={save.error?.problemOf(name) != null}
            onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
        </Field>
      ))}
      {save.error && !FIELDS.some((name) => save.error?.problemOf(name)) && <ErrorNotice error={save.error} fields={[...FIELDS]} />}
      <div class="contact-buttons">
        <Button type="submit" kind="primary" busy={save.busy}>
          {t("contact.save")}
        </Button>
        <Button kind="quiet" onClick={onDone}>
          {t("contact.cancel")}
        </Button>
      </div>
    </form>
  );
}
