// The text of a newsletter by its sections, with the warnings of each and the sources beside it.

import { useRef, useState } from "preact/hooks";
import { useApp } from "../../app";
import { Confirm } from "../../operations/sections";
import { go, placeOf } from "../../shell/router";
import { named, t, tn } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { partsOf, rangeOf, textsOf, type Part } from "./draftParts";
import { Generation } from "./Generation";
import type { StepProps } from "../NewsletterPage";
import { discard, PLACE, stepName, stored, type Newsletter, type Warning } from "../source";
import { dateText } from "./TopicsStep";

const WORDS_A_MINUTE = 250;
const LINE = 80; // characters, about
const LENGTH = /^(\d+) words, (\d+) planned$/;

interface Edited {
  version: number; // that the changes were begun with
  texts: string[];
}

export function DraftStep(props: StepProps) {
  const { newsletter, isOwn, onChange } = props;
  const { draft, metadata } = newsletter;
  return (
    <section class="ops-section" aria-label={stepName("draft")}>
      <h2>{stepName("draft")}</h2>
      <Generation newsletter={newsletter} step="draft" isOwn={isOwn} onChange={onChange} />
      {draft.content && draft.status !== "processing" && <Editor {...props} />}
      {draft.is_usable && (
        <div class="ops-editor-end">
          <Button onClick={() => go(placeOf(PLACE, metadata.newsletter_code, "review"))}>{t("newsletter.next", { step: stepName("review") })}</Button>
          <Button onClick={() => go(placeOf(PLACE, metadata.newsletter_code, "exports"))}>{t("newsletter.next", { step: stepName("exports") })}</Button>
        </div>
      )}
    </section>
  );
}

function Editor({ newsletter, isOwn, onChange }: StepProps) {
  const { client } = useApp();
  const { draft } = newsletter;
  const code = newsletter.metadata.newsletter_code;
  const form = `newsletter draft ${code}`;
  const unsaved = useDraft(form);
  const [isAsked, setAsked] = useState(false);
  const edited = keptIn(unsaved.text) ?? { version: draft.version, texts: textsOf(draft.content) };
  const parts = partsOf(draft, edited.texts);
  const store = useChange(async () => {
    const body = { version: edited.version, content: edited.texts.join("") };
    await client.call("PUT /newsletters/{code}/draft", { path: { code }, body, key: unsaved.keyFor(body) });
    unsaved.write("");
    stored();
    await onChange();
  });
  const generated = useChange(async () => {
    await client.call("DELETE /newsletters/{code}/draft/edits", { path: { code }, body: { version: draft.version } });
    await onChange();
  });
  return (
    <>
      <p class="quiet">
        {tn("newsletter.words", draft.word_count)} · {t("newsletter.read_time", { minutes: Math.ceil(draft.word_count / WORDS_A_MINUTE) })}
      </p>
      {unsaved.text && edited.version !== draft.version && <p class="notice notice-warn">{t("newsletter.changed_meanwhile")}</p>}
      {draft.lost_citations.length > 0 && <p class="notice notice-warn">{t("newsletter.lost_citations", { numbers: draft.lost_citations.join(", ") })}</p>}
      <div class="newsletter-draft">
        <div class="newsletter-texts">
          {parts.map((part, at) => (
            <PartEditor
              key={at}
              part={part}
              isOwn={isOwn}
              newsletter={newsletter}
              isSaved={!unsaved.text}
              onChange={onChange}
              onWrite={(text) => unsaved.write(JSON.stringify({ ...edited, texts: edited.texts.with(at, text) }))}
            />
          ))}
        </div>
        <Sources newsletter={newsletter} />
      </div>
      {store.error && <ErrorNotice error={store.error} onRetry={() => void store.run()} />}
      {isAsked && (
        <Confirm title={t("newsletter.draft.generated")} action={generated} button={t("newsletter.draft.generated")} onClose={() => setAsked(false)} onDone={() => setAsked(false)}>
          <p>{t("newsletter.replaces_edits")}</p>
        </Confirm>
      )}
      {isOwn && (
        <div class="ops-editor-end newsletter-unsaved">
          {draft.has_user_edits && !unsaved.text && (
            <Button kind="quiet" onClick={() => setAsked(true)}>
              {t("newsletter.draft.generated")}
            </Button>
          )}
          {unsaved.text && (
            <>
              <span class="quiet">{t("newsletter.unsaved")}</span>
              <Button kind="quiet" onClick={() => discard(form, unsaved)}>
                {t("newsletter.discard")}
              </Button>
              <Button kind="primary" busy={store.busy} onClick={() => void store.run()}>
                {t("newsletter.draft.store")}
              </Button>
            </>
          )}
        </div>
      )}
    </>
  );
}

interface PartProps {
  part: Part;
  isOwn: boolean;
  newsletter: Newsletter;
  isSaved: boolean;
  onChange: () => Promise<void>;
  onWrite: (text: string) => void;
}

function PartEditor({ part, isOwn, newsletter, isSaved, onChange, onWrite }: PartProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const name = part.name || t("newsletter.draft.top");
  const show = (range: [number, number]) => {
    area.current?.focus();
    area.current?.setSelectionRange(...range);
  };
  return (
    <div class="newsletter-part">
      <label class="field">
        <span class="field-label">{name}</span>
        <textarea ref={area} rows={rowsOf(part.text)} value={part.text} readOnly={!isOwn} dir="auto" onInput={(event) => onWrite(event.currentTarget.value)} />
      </label>
      {part.warnings.length > 0 && (
        <ul class="newsletter-warnings" aria-label={t("newsletter.warnings", { name })}>
          {part.warnings.map((one, at) => (
            <li key={at} class="notice notice-warn">
              <WarningText warning={one} newsletter={newsletter} range={rangeOf(part.text, one.text ?? "")} onShow={show} />
            </li>
          ))}
        </ul>
      )}
      {isOwn && isSaved && part.key && <Rewriting name={name} section={part.key} newsletter={newsletter} onChange={onChange} />}
    </div>
  );
}

// Has the model write one section again; the others stay as they are.
function Rewriting({ name, section, newsletter, onChange }: { name: string; section: string; newsletter: Newsletter; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const code = newsletter.metadata.newsletter_code;
  const again = useChange(async () => {
    const body = { sections: [section], accept_stale: newsletter.outline.is_stale };
    await client.call("POST /newsletters/{code}/{step}/start", { path: { code, step: "draft" }, body });
    await onChange();
  });
  const title = t("newsletter.again.section", { name });
  return (
    <div>
      <Button kind="quiet" label={title} onClick={() => setAsked(true)}>
        {t("newsletter.again.short")}
      </Button>
      {isAsked && (
        <Confirm title={title} action={again} button={t("newsletter.again.short")} onClose={() => setAsked(false)} onDone={() => setAsked(false)}>
          <p>{t("newsletter.replaces_section")}</p>
          {newsletter.outline.is_stale && <p>{t("newsletter.from_stale")}</p>}
        </Confirm>
      )}
    </div>
  );
}

function WarningText({ warning, newsletter, range, onShow }: { warning: Warning; newsletter: Newsletter; range: [number, number] | null; onShow: (range: [number, number]) => void }) {
  const length = LENGTH.exec(warning.text ?? "");
  const source = newsletter.outline.references.find(({ id }) => id === warning.reference);
  return (
    <>
      <div>
        <p>{named("newsletter.warning", warning.code)}</p>
        {length && <p class="detail">{t("newsletter.words_planned", { written: length[1]!, planned: length[2]! })}</p>}
        {warning.text && !length && <q class="detail" dir="auto">{warning.text}</q>}
        {source && (
          <p class="detail">
            {t("newsletter.compare", { title: source.title ?? "" })} {warning.passage && <q dir="auto">{warning.passage}</q>}
          </p>
        )}
      </div>
      {range && (
        <Button kind="quiet" onClick={() => onShow(range)}>
          {t("newsletter.show_in_text")}
        </Button>
      )}
    </>
  );
}

function Sources({ newsletter: { draft, outline, topics } }: { newsletter: Newsletter }) {
  const textOf = (id: string) => outline.references.find((one) => one.id === id)?.text ?? topics.retrieved_content.find(({ chunk_id }) => chunk_id === id)?.content;
  return (
    <aside class="newsletter-sources" aria-label={t("newsletter.draft.sources")}>
      <h3>{t("newsletter.draft.sources")}</h3>
      {draft.citations.length === 0 && <p class="quiet">{t("newsletter.no_sources")}</p>}
      <ul class="newsletter-passages">
        {draft.citations.map(({ n, chunk_id, title, url, date }) => (
          <li key={n}>
            <details>
              <summary>
                [{n}] <bdi>{title}</bdi> <span class="quiet">{dateText(date)}</span>
              </summary>
              <p class="newsletter-passage" dir="auto">{textOf(chunk_id) ?? t("newsletter.source_stale")}</p>
              {url && <a class="link" href={url} target="_blank" rel="noopener noreferrer">{url}</a>}
            </details>
          </li>
        ))}
      </ul>
    </aside>
  );
}

function rowsOf(text: string): number {
  const lines = text.trimEnd().split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / LINE)), 1);
  return Math.min(30, Math.max(3, lines));
}

function keptIn(text: string): Edited | null {
  try {
    const found = JSON.parse(text || "null") as Edited | null;
    return found?.texts ? found : null;
  } catch {
    return null; // of another version of the page
  }
}
