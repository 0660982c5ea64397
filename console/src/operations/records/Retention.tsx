// Retention: after how many days without a message people leave a context, with a count before it is switched on.

import { useState } from "preact/hooks";
import type { ConsoleApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Confirm, Section, Time, count } from "../sections";

type Stored = ConsoleApi.RetentionView;
type Input = ConsoleApi.RetentionInput;

const CONTEXTS = ["whatsapp", "conversations", "email_threads"] as const;
type Texts = Record<(typeof CONTEXTS)[number], string>;

export function Retention() {
  const { client } = useApp();
  const stored = useResource(
    async (signal) => (await client.call("GET /privacy/retention", { signal })).result,
    [client],
  );
  return (
    <Section title={t("retention.title")} about={t("retention.about")} resource={stored}>
      {(value) => (
        <>
          <Days key={value.version} stored={value} onStored={() => void stored.reload()} />
          <Others stored={value} />
        </>
      )}
    </Section>
  );
}

function Days({ stored, onStored }: { stored: Stored; onStored: () => void }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [texts, setTexts] = useState<Texts>(() => textsOf(stored));
  const [found, setFound] = useState<Stored | null>(null);
  const input = inputOf(stored, texts);
  const look = useAction(async () => {
    const key = crypto.randomUUID();
    setFound((await client.call("PUT /privacy/retention", { body: { ...input, dry_run: true }, key })).result);
  });
  const isSame = CONTEXTS.every((context) => texts[context].trim() === textsOf(stored)[context]);
  return (
    <form
      class="ops-editor"
      aria-label={t("retention.title")}
      onSubmit={(event) => {
        event.preventDefault();
        void look.run();
      }}
    >
      {look.error && <ErrorNotice error={look.error} fields={[...CONTEXTS]} />}
      {stored.proposed && stored.proposed_by && (
        <p>
          {t("retention.proposed", { name: actor(stored.proposed_by, me) })} {daysOf(stored.proposed)}
        </p>
      )}
      {CONTEXTS.map((context) => (
        <Field key={context} label={named("context", context)} name={context} error={look.error}>
          <input
            type="number"
            min={30}
            max={3650}
            placeholder={t("retention.off")}
            value={texts[context]}
            onInput={(event) => setTexts({ ...texts, [context]: event.currentTarget.value })}
          />
        </Field>
      ))}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={look.busy} disabled={isSame && !stored.proposed}>
          {t("retention.look")}
        </Button>
      </div>
      {found && (
        <Store
          input={input}
          found={found}
          onClose={() => setFound(null)}
          onStored={() => {
            setFound(null);
            onStored();
          }}
        />
      )}
    </form>
  );
}

function Store({ input, found, onClose, onStored }: {
  input: Input;
  found: Stored;
  onClose: () => void;
  onStored: () => void;
}) {
  const { client } = useApp();
  const [key] = useState(() => crypto.randomUUID());
  const store = useAction(() => client.call("PUT /privacy/retention", { body: input, key }));
  return (
    <Confirm title={t("retention.store.title")} action={store} button={t("retention.store")} onClose={onClose} onDone={onStored}>
      <p>{t("retention.store.text")}</p>
      <ul>
        {Object.entries(found.found ?? {}).map(([context, idle]) => (
          <li key={context}>
            {named("context", context)}: <b>{count(idle.people)}</b> {idle.is_cut && t("retention.more")}
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

function Others({ stored }: { stored: Stored }) {
  return (
    <>
      <p class="quiet">
        {t("retention.requested", { count: stored.requested ?? 0 })} {stored.looked_at && <Time at={stored.looked_at} />}
      </p>
      <details>
        <summary>{t("retention.elsewhere")}</summary>
        <ul>
          {Object.entries(stored.set_elsewhere ?? {}).map(([context, setting]) => (
            <li key={context}>
              {named("context", context)}: {setting}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function textsOf(stored: Stored): Texts {
  const text = (days: number | null | undefined) => (days ? String(days) : "");
  return {
    whatsapp: text(stored.whatsapp),
    conversations: text(stored.conversations),
    email_threads: text(stored.email_threads),
  };
}

// All contexts are sent: an empty field keeps people.
function inputOf(stored: Stored, texts: Texts): Input {
  const days = (text: string) => (text.trim() ? Number(text) : null);
  return {
    version: stored.version,
    whatsapp: days(texts.whatsapp),
    conversations: days(texts.conversations),
    email_threads: days(texts.email_threads),
  };
}

function daysOf(days: Record<string, number>): string {
  return Object.entries(days)
    .map(([context, number]) => `${named("context", context)}: ${number}`)
    .join(", ");
}
