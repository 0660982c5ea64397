// What a newsletter is about: the kinds of information, the passages that were found for them, and their sources.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { moment } from "../../texts/format";
import { go, placeOf } from "../../shell/router";
import { isolated, locale, t, tn } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { Generation } from "./Generation";
import type { StepProps } from "../NewsletterPage";
import { optionsOf, optionText, PLACE, stepName, stored, type Newsletter } from "../source";

const MOST_OWN = 5;

interface Own {
  name: string;
  query: string;
}

interface Entered {
  selected: string[]; // display names
  own: Own[];
}

export function TopicsStep(props: StepProps) {
  const { newsletter, isOwn } = props;
  const { topics, metadata } = newsletter;
  return (
    <section class="ops-section" aria-label={stepName("topics")}>
      <h2>{stepName("topics")}</h2>
      {metadata.target_audience.length === 0 && (
        <p class="notice">
          <span>{t("newsletter.no_audience")}</span>{" "}
          <a class="link" href={placeOf(PLACE, metadata.newsletter_code, "plan")}>
            {stepName("plan")}
          </a>
        </p>
      )}
      {isOwn && topics.status !== "processing" && <Selection key={topics.version} {...props} />}
      <Generation newsletter={newsletter} step="topics" isOwn={isOwn} onChange={props.onChange} />
      <Passages newsletter={newsletter} />
      {topics.is_usable && (
        <div class="ops-editor-end">
          <Button kind="primary" onClick={() => go(placeOf(PLACE, metadata.newsletter_code, "outline"))}>
            {t("newsletter.next", { step: stepName("outline") })}
          </Button>
        </div>
      )}
    </section>
  );
}

function Selection({ newsletter: { metadata, topics }, onChange }: StepProps) {
  const { client } = useApp();
  const code = metadata.newsletter_code;
  const draft = useDraft(`newsletter topics ${code}`);
  const options = useResource((signal) => optionsOf(client, signal), [client]);
  const before: Entered = { selected: topics.selected_types, own: topics.custom_topics.map(({ name, query }) => ({ name, query })) };
  const entered = keptIn(draft.text) ?? before;
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const known = options.value?.selected_types ?? [];
  const store = useChange(async () => {
    // Topics of one's own are chosen by their names, as they are now.
    const shared = entered.selected.filter((name) => known.some(({ label }) => label === name));
    const custom = entered.own.filter(({ name, query }) => name.trim() || query.trim());
    const body = { version: topics.version, selected_types: [...shared, ...custom.map(({ name }) => name)], custom_topics: custom };
    await client.call("PUT /newsletters/{code}/topics", { path: { code }, body, key: draft.keyFor(body) });
    draft.write("");
    stored();
    await onChange();
  });
  const { error } = store;
  if (options.error) return <ErrorNotice error={options.error} onRetry={() => void options.reload()} />;
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("newsletter.topics.choose")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <fieldset class="newsletter-choices">
        <legend class="field-label">{t("newsletter.topics.choose")}</legend>
        {known.map((one) => (
          <label key={one.value} class="choice-line">
            <input
              type="checkbox"
              checked={entered.selected.includes(one.label!)}
              onChange={(event) => write({ selected: event.currentTarget.checked ? [...entered.selected, one.label!] : entered.selected.filter((name) => name !== one.label) })}
            />
            <span>{optionText("selected_types", one)}</span>
          </label>
        ))}
      </fieldset>
      {error?.problemOf("selected_types") && <p class="field-problem" role="alert">{error.problemOf("selected_types")}</p>}
      {entered.own.map((own, at) => (
        <fieldset key={at} class="newsletter-columns">
          <legend class="field-label">{t("newsletter.topics.own", { number: at + 1 })}</legend>
          <Field label={t("newsletter.topics.name")} name={`custom_topics.${at}.name`} error={error}>
            <input value={own.name} maxLength={60} onInput={(event) => write({ own: entered.own.with(at, { ...own, name: event.currentTarget.value }) })} />
          </Field>
          <Field label={t("newsletter.topics.query")} name={`custom_topics.${at}.query`} error={error}>
            <input value={own.query} maxLength={200} onInput={(event) => write({ own: entered.own.with(at, { ...own, query: event.currentTarget.value }) })} />
          </Field>
          <Button kind="quiet" onClick={() => write({ own: entered.own.toSpliced(at, 1) })}>
            {t("newsletter.remove")}
          </Button>
        </fieldset>
      ))}
      {error && <ErrorNotice error={error} onRetry={() => void store.run()} fields={["selected_types", ...entered.own.flatMap((_, at) => [`custom_topics.${at}.name`, `custom_topics.${at}.query`])]} />}
      <div class="ops-editor-end">
        {entered.own.length < MOST_OWN && <Button onClick={() => write({ own: [...entered.own, { name: "", query: "" }] })}>{t("newsletter.topics.add")}</Button>}
        <Button type="submit" kind={topics.selected_types.length && !draft.text ? "plain" : "primary"} busy={store.busy}>
          {t("newsletter.topics.store")}
        </Button>
      </div>
    </form>
  );
}

function Passages({ newsletter: { topics } }: { newsletter: Newsletter }) {
  if (!topics.is_usable) return null;
  const missing = topics.queries.filter(({ hits }) => hits === 0);
  return (
    <>
      <h3>{tn("newsletter.passages", topics.retrieved_content.length)}</h3>
      {missing.map(({ type }) => (
        <p key={type} class="notice notice-warn">
          {t("newsletter.topics.nothing", { type })}
        </p>
      ))}
      <ul class="newsletter-passages">
        {topics.retrieved_content.map(({ chunk_id, title, topic, content, metadata }) => (
          <li key={chunk_id}>
            <details>
              <summary>
                <bdi>{title}</bdi> <span class="quiet">{isolated(topic)} · {dateText(metadata?.date)}</span>
              </summary>
              <p class="newsletter-passage" dir="auto">{content}</p>
              {metadata?.url && <a class="link" href={metadata.url} target="_blank" rel="noopener noreferrer">{metadata.url}</a>}
            </details>
          </li>
        ))}
      </ul>
      {topics.completed_at && <p class="quiet">{t("newsletter.generated", { at: moment(topics.completed_at) })}</p>}
    </>
  );
}

export function dateText(date: string | undefined): string {
  return date ? new Date(`${date}T12:00`).toLocaleDateString(locale, { dateStyle: "medium" }) : t("newsletter.undated");
}

function keptIn(text: string): Entered | null {
  try {
    const found = JSON.parse(text || "null") as Entered | null;
    return found?.selected && found.own ? found : null;
  } catch {
    return null; // of another version of the page
  }
}
