// The attributes of a person, by the definitions of the company.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { entered, type Contact, type Definition } from "../source";

export function AttributeForm({ contact, onChange }: { contact: Contact; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const found = useResource(async (signal) => (await client.call("GET /attributes", { signal })).result.attributes, [client]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const definitions = found.value ?? [];
  const present = (name: string) => (contact.attributes[name] === undefined ? "" : String(contact.attributes[name]));
  const changed = definitions.filter(({ name }) => texts[name] !== undefined && texts[name] !== present(name));
  const save = useAction(async () => {
    const attributes = Object.fromEntries(changed.map((one) => [one.name, entered(one, texts[one.name] ?? "")]));
    await client.call("PATCH /contacts/{contact_id}", { path: { contact_id: contact.contactId }, body: { attributes, version: contact.version } });
    await onChange();
    setTexts({});
  });
  if (!found.error && definitions.length === 0) return null;
  const fields = definitions.map(({ name }) => `attributes.${name}`);
  return (
    <section class="facts-part" aria-labelledby="contact-attributes">
      <h3 id="contact-attributes">
        <Icon name="template" size={16} /> {t("contact.attributes")}
      </h3>
      {found.error && <ErrorNotice error={found.error} onRetry={() => void found.reload()} />}
      <form
        class="contact-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (changed.length) void save.run();
        }}
      >
        {definitions.map((one) => (
          <Field key={one.name} label={one.title} name={`attributes.${one.name}`} error={save.error}>
            <Value
              definition={one}
              text={texts[one.name] ?? present(one.name)}
              isWrong={save.error?.problemOf(`attributes.${one.name}`) != null}
              onEnter={(text) => setTexts({ ...texts, [one.name]: text })}
            />
          </Field>
        ))}
        {save.error && !fields.some((field) => save.error?.problemOf(field)) && <ErrorNotice error={save.error} />}
        <Button type="submit" busy={save.busy} disabled={changed.length === 0}>
          {t("contact.save")}
        </Button>
      </form>
    </section>
  );
}

interface ValueProps {
  definition: Definition;
  text: string;
  isWrong: boolean;
  onEnter: (text: string) => void;
}

function Value({ definition, text, isWrong, onEnter }: ValueProps) {
  const options = definition.kind === "boolean" ? ["true", "false"] : definition.choices;
  if (definition.kind === "boolean" || definition.kind === "choice") {
    return (
      <select value={text} aria-invalid={isWrong} onChange={(event) => onEnter(event.currentTarget.value)}>
        <option value="">–</option>
        {options.map((one) => (
          <option key={one} value={one}>
            {definition.kind === "choice" ? one : t(one === "true" ? "contact.yes" : "contact.no")}
          </option>
        ))}
      </select>
    );
  }
  if (definition.kind === "date") {
    return <input type="date" value={text} aria-invalid={isWrong} onInput={(event) => onEnter(event.currentTarget.value)} />;
  }
  const keyboard = definition.kind === "number" ? "decimal" : "text";
  return <input inputMode={keyboard} value={text} aria-invalid={isWrong} onInput={(event) => onEnter(event.currentTarget.value)} />;
}
