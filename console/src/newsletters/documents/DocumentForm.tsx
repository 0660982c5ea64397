// A new document: a file, or a text that is written here; with its title, date and address.

import { useRef, useState } from "preact/hooks";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { ACCEPTED, contentOf, refusalOf, storedName, titleOf } from "./documentFile";
import { stored } from "../source";

const FIELDS = ["name", "title", "date", "url", "topics", "text", "file"];

interface Entered {
  title: string;
  date: string;
  url: string;
  topics: string;
  text: string; // without a file
}

const EMPTY: Entered = { title: "", date: "", url: "", topics: "", text: "" };

export function DocumentForm({ onStored }: { onStored: () => Promise<void> }) {
  const { client } = useApp();
  const draft = useDraft("newsletter document");
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const entered = keptIn(draft.text);
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const refusal = file && refusalOf(file);
  const add = useChange(async () => {
    const { title, date, url, topics, text } = entered;
    const named = topics.split(",").map((one) => one.trim()).filter(Boolean);
    const body = {
      name: file ? storedName(file.name) : storedName(`${title}.md`),
      title,
      ...(date ? { date } : {}),
      ...(url.trim() ? { url: url.trim() } : {}),
      ...(named.length ? { topics: named } : {}),
      ...(file ? await contentOf(file) : { text }),
    };
    await client.call("POST /newsletters/sources", { body });
    draft.write("");
    setFile(null);
    if (input.current) input.current.value = "";
    stored();
    await onStored();
  });
  const { error } = add;
  const topicsProblem = error?.details.find(({ field }) => field?.startsWith("topics"));
  const contentProblem = error?.problemOf("file") ?? error?.problemOf("text") ?? error?.problemOf("name");
  return (
    <section class="ops-section" aria-label={t("newsletter.documents.new")}>
      <h2>{t("newsletter.documents.new")}</h2>
      <form
        class="ops-editor newsletter-form"
        aria-label={t("newsletter.documents.new")}
        onSubmit={(event) => {
          event.preventDefault();
          void add.run();
        }}
      >
        <label class="field">
          <span class="field-label">{t("newsletter.documents.file")}</span>
          <input
            ref={input}
            type="file"
            accept={ACCEPTED}
            onChange={(event) => {
              const chosen = event.currentTarget.files?.[0] ?? null;
              setFile(chosen);
              add.clear();
              if (chosen && !entered.title) write({ title: titleOf(chosen.name) });
            }}
          />
          {(refusal || contentProblem) && (
            <span class="field-problem" role="alert">
              {refusal ? t(`newsletter.documents.refused.${refusal}`) : contentProblem}
            </span>
          )}
        </label>
        {!file && (
          <label class="field">
            <span class="field-label">{t("newsletter.documents.text")}</span>
            <textarea rows={4} value={entered.text} dir="auto" onInput={(event) => write({ text: event.currentTarget.value })} />
          </label>
        )}
        <Field label={t("newsletter.field.title")} name="title" error={error}>
          <input value={entered.title} required dir="auto" onInput={(event) => write({ title: event.currentTarget.value })} />
        </Field>
        <div class="newsletter-columns">
          <Field label={t("newsletter.documents.date")} name="date" error={error}>
            <input type="date" value={entered.date} onInput={(event) => write({ date: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.documents.url")} name="url" error={error}>
            <input value={entered.url} placeholder="https://" onInput={(event) => write({ url: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.documents.topics")} name={topicsProblem?.field ?? "topics"} error={error}>
            <input value={entered.topics} dir="auto" onInput={(event) => write({ topics: event.currentTarget.value })} />
          </Field>
        </div>
        <p class="quiet">{t("newsletter.documents.date_about")}</p>
        {error && <ErrorNotice error={error} onRetry={() => void add.run()} fields={[...FIELDS, ...(topicsProblem?.field ? [topicsProblem.field] : [])]} />}
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={add.busy} disabled={Boolean(refusal) || !(file || entered.text.trim())}>
            {t("newsletter.documents.add")}
          </Button>
        </div>
      </form>
    </section>
  );
}

function keptIn(text: string): Entered {
  try {
    return { ...EMPTY, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return EMPTY; // of another version of the page
  }
}
