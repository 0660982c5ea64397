// The outline: its items are edited, and moved by drag or by keys; each names its sources.

import { useState } from "preact/hooks";
import { useApp } from "../../app";
import { go, placeOf } from "../../shell/router";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { Generation } from "./Generation";
import type { StepProps } from "../NewsletterPage";
import { OutlineItem } from "./OutlineItem";
import { added, dropped, editedFrom, fieldOf, kept, placeIn, requestOf, stepped, without, withItem, withName, type Outline, type Section } from "./outline";
import { discard, PLACE, stepName, stored } from "../source";

export function OutlineStep(props: StepProps) {
  const { newsletter, isOwn, onChange } = props;
  const { outline, metadata } = newsletter;
  return (
    <section class="ops-section" aria-label={stepName("outline")}>
      <h2>{stepName("outline")}</h2>
      <Generation newsletter={newsletter} step="outline" isOwn={isOwn} onChange={onChange} />
      {outline.sections.length > 0 && outline.status !== "processing" && <Editor key={outline.generated_at ?? ""} {...props} />}
      {outline.is_usable && (
        <div class="ops-editor-end">
          <Button onClick={() => go(placeOf(PLACE, metadata.newsletter_code, "draft"))}>{t("newsletter.next", { step: stepName("draft") })}</Button>
        </div>
      )}
    </section>
  );
}

function Editor({ newsletter: { metadata, outline }, isOwn, onChange }: StepProps) {
  const { client } = useApp();
  const code = metadata.newsletter_code;
  const form = `newsletter outline ${code}`;
  const draft = useDraft(form);
  const [dragged, setDragged] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const edited = draft.text ? kept(draft.text, outline) : editedFrom(outline);
  const write = (next: Outline) => draft.write(JSON.stringify(next));
  const store = useChange(async () => {
    const body = requestOf(edited);
    await client.call("PUT /newsletters/{code}/outline", { path: { code }, body, key: draft.keyFor(body) });
    draft.write("");
    stored();
    await onChange();
  });
  const move = (key: string, by: 1 | -1) => {
    const next = stepped(edited, key, by);
    write(next);
    const place = placeIn(next, key);
    if (place) setSaid(t("newsletter.outline.moved", place));
  };
  const drop = (section: string, before: string | null) => {
    if (dragged) write(dropped(edited, dragged, section, before));
    setDragged(null);
  };
  const items = edited.sections.flatMap((section) => section.items);
  const fields = items.flatMap(({ key }) => ["title", "description", "user_notes"].map((name) => fieldOf(edited, key, name)));
  return (
    <div class="newsletter-outline">
      <p class="quiet">{t("newsletter.outline.about")}</p>
      <p class="unseen" role="status">{said}</p>
      {draft.text && edited.version !== outline.version && <p class="notice notice-warn">{t("newsletter.changed_meanwhile")}</p>}
      {edited.sections.map((section, at) => (
        <section
          key={section.key}
          class="newsletter-section"
          aria-label={section.name}
          onDragOver={(event) => dragged && event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            drop(section.key, null);
          }}
        >
          <Field label={t("newsletter.outline.section", { number: at + 1 })} name={`sections.${at}.name`} error={store.error}>
            <input value={section.name} maxLength={100} disabled={!isOwn} dir="auto" onInput={(event) => write(withName(edited, section.key, event.currentTarget.value))} />
          </Field>
          {section.items.length === 0 && <p class="ops-empty">{t("newsletter.outline.empty")}</p>}
          <ol>
            {section.items.map((item) => (
              <OutlineItem
                key={item.key}
                item={item}
                isOwn={isOwn}
                isDragged={dragged === item.key}
                fieldOf={(name) => fieldOf(edited, item.key, name)}
                error={store.error}
                references={outline.references}
                stale={outline.stale_references}
                warnings={outline.warnings.filter((one) => item.id && one.item === item.id)}
                onChange={(change) => write(withItem(edited, item.key, change))}
                onMove={(by) => move(item.key, by)}
                onRemove={() => write(without(edited, item.key))}
                onDrag={(isOn) => setDragged(isOn ? item.key : null)}
                onDrop={() => drop(section.key, item.key)}
              />
            ))}
          </ol>
          {isOwn && <NewItem section={section} onAdd={(title) => write(added(edited, section.key, crypto.randomUUID(), title))} />}
        </section>
      ))}
      {store.error && <ErrorNotice error={store.error} onRetry={() => void store.run()} fields={[...fields, ...edited.sections.map((_, at) => `sections.${at}.name`)]} />}
      {isOwn && draft.text && (
        <div class="ops-editor-end newsletter-unsaved">
          <span class="quiet">{t("newsletter.unsaved")}</span>
          <Button kind="quiet" onClick={() => discard(form, draft)}>
            {t("newsletter.discard")}
          </Button>
          <Button kind="primary" busy={store.busy} onClick={() => void store.run()}>
            {t("newsletter.outline.store")}
          </Button>
        </div>
      )}
    </div>
  );
}

function NewItem({ section, onAdd }: { section: Section; onAdd: (title: string) => void }) {
  const [title, setTitle] = useState("");
  const add = () => {
    if (!title.trim()) return;
    onAdd(title.trim());
    setTitle("");
  };
  return (
    <form
      class="newsletter-new-item"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label class="field">
        <span class="field-label">{t("newsletter.outline.new", { section: section.name })}</span>
        <input value={title} maxLength={200} dir="auto" onInput={(event) => setTitle(event.currentTarget.value)} />
      </label>
      <Button type="submit" disabled={!title.trim()}>
        {t("newsletter.outline.add")}
      </Button>
    </form>
  );
}
