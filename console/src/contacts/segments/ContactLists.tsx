// The lists of contacts: made, renamed and removed. People come into them by imports, by hand and by signing up.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import type { List } from "./count";

const MOST = 100; // characters of a name

interface Props {
  lists: List[];
  onChange: () => Promise<void>;
}

export function ContactLists({ lists, onChange }: Props) {
  return (
    <section aria-label={t("lists.title")}>
      <h2>{t("lists.title")}</h2>
      <p class="quiet">{t("lists.about")}</p>
      {lists.length === 0 && <p class="quiet">{t("lists.none")}</p>}
      {lists.map((one) => (
        <Shown key={one.listId} list={one} onChange={onChange} />
      ))}
      <NewList onChange={onChange} />
    </section>
  );
}

function Shown({ list, onChange }: { list: List; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [name, setName] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const path = { list_id: list.listId };
  const rename = useAction(async () => {
    await client.call("PATCH /contacts/lists/{list_id}", { path, body: { name: (name ?? "").trim() } });
    setName(null);
    await onChange();
  });
  const remove = useAction(async () => {
    await client.call("DELETE /contacts/lists/{list_id}", { path });
    await onChange();
  });
  return (
    <section class="segment" aria-label={list.name}>
      <h3>
        <bdi>{list.name}</bdi>
      </h3>
      {remove.error && <ErrorNotice error={remove.error} />}
      {name !== null && (
        <form
          aria-label={t("lists.rename_one", { name: list.name })}
          onSubmit={(event) => {
            event.preventDefault();
            void rename.run();
          }}
        >
          {rename.error && <ErrorNotice error={rename.error} fields={["name"]} />}
          <Field label={t("segment.name")} name="name" error={rename.error}>
            <input dir="auto" required maxLength={MOST} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <div class="segment-end">
            <Button onClick={() => setName(null)}>{t("action.cancel")}</Button>
            <Button type="submit" kind="primary" busy={rename.busy}>
              {t("segment.store")}
            </Button>
          </div>
        </form>
      )}
      {isAsked && <p role="status">{t("lists.remove.about")}</p>}
      <div class="segment-end">
        {name === null && <Button onClick={() => setName(list.name)}>{t("lists.rename")}</Button>}
        {isAsked && <Button onClick={() => setAsked(false)}>{t("action.cancel")}</Button>}
        <Button busy={remove.busy} onClick={() => (isAsked ? void remove.run() : setAsked(true))}>
          {t(isAsked ? "segment.remove_for_good" : "segment.remove")}
        </Button>
      </div>
    </section>
  );
}

function NewList({ onChange }: { onChange: () => Promise<void> }) {
  const { client } = useApp();
  const draft = useDraft("new contact list");
  const make = useAction(async () => {
    const body = { name: draft.text.trim() };
    await client.call("POST /contacts/lists", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    await onChange();
  });
  return (
    <form
      class="segment-form"
      aria-label={t("lists.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void make.run();
      }}
    >
      <h3>{t("lists.new")}</h3>
      {make.error && <ErrorNotice error={make.error} fields={["name"]} />}
      <Field label={t("lists.name")} name="name" error={make.error}>
        <input dir="auto" required maxLength={MOST} value={draft.text} onInput={(event) => draft.write(event.currentTarget.value)} />
      </Field>
      <Button type="submit" kind="primary" busy={make.busy}>
        {t("lists.make")}
      </Button>
    </form>
  );
}
