// What the public sees of a list, who sends its mails, and the mail that welcomes a reader.

import { useState } from "preact/hooks";
import type { NewslettersApi } from "../../api/routes";
import { useApp } from "../../app";
import { LiveChange } from "../../operations/switches/LiveChange";
import { Copied } from "../../setup/Copied";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { LANGUAGES, languageName } from "../steps/PlanForm";
import { stored, type PublicList } from "../source";

const TEXTS = ["title", "description", "sender", "sender_name", "reply_to", "postal_address"] as const;
const SWITCHES = ["is_open", "has_archive", "keeps_ip"] as const;
const ADDRESSES = ["subscribe_path", "archive_path", "feed_path"] as const;
const NEEDED: readonly string[] = ["title", "sender", "sender_name", "postal_address"];
const FIELDS = [...TEXTS, "language", "topics", "welcome.subject", "welcome.text"];

type Entered = Record<(typeof TEXTS)[number], string> &
  Record<(typeof SWITCHES)[number], boolean> & { language: string; topics: string; subject: string; text: string };

interface Props {
  id: string;
  name: string;
  of: PublicList | undefined; // none: not published yet
  onStored: () => Promise<void>;
  onClose: () => void;
}

export function ListForm({ id, name, of, onStored, onClose }: Props) {
  const { client } = useApp();
  const draft = useDraft(`newsletter list ${id}`);
  const entered: Entered = { ...enteredOf(name, of), ...keptIn(draft.text) };
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...keptIn(draft.text), ...change }));
  const store = useChange(async () => {
    const body = bodyOf(entered, of?.version ?? 0);
    await client.call("PUT /newsletters/lists/{list_id}", { path: { list_id: id }, body, key: draft.keyFor(body) });
    draft.write("");
    stored();
    await onStored();
  });
  const [isHiding, setHiding] = useState(false);
  const hide = async () => {
    await client.call("DELETE /newsletters/lists/{list_id}", { path: { list_id: id } });
    draft.write("");
  };
  const show = () => client.call("PUT /newsletters/lists/{list_id}", { path: { list_id: id }, body: bodyOf(enteredOf(name, of), 0), key: crypto.randomUUID() });
  const { error } = store;
  const topicsProblem = error?.details.find(({ field }) => field?.startsWith("topics"));
  const welcomeProblem = error?.problemOf("welcome");
  return (
    <>
      <form
        class="ops-editor newsletter-form"
        aria-label={t("newsletter.lists.change_one", { name })}
        onSubmit={(event) => {
          event.preventDefault();
          void store.run();
        }}
      >
        <h3>
          <bdi>{name}</bdi>
        </h3>
        {of && <Addresses of={of} />}
        {TEXTS.map((field) => (
          <Field key={field} label={t(`newsletter.lists.${field}`)} name={field} error={error}>
            <input
              value={entered[field]}
              inputMode={field === "sender" || field === "reply_to" ? "email" : "text"}
              dir={field === "sender" || field === "reply_to" ? "ltr" : "auto"}
              required={NEEDED.includes(field)}
              onInput={(event) => write({ [field]: event.currentTarget.value })}
            />
          </Field>
        ))}
        <div class="newsletter-columns">
          <Field label={t("newsletter.field.language")} name="language" error={error}>
            <select value={entered.language} onChange={(event) => write({ language: event.currentTarget.value })}>
              {[...new Set([...LANGUAGES, entered.language])].map((one) => (
                <option key={one} value={one}>
                  {languageName(one)}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t("newsletter.lists.topics")} name="topics" error={error}>
            <input value={entered.topics} dir="auto" onInput={(event) => write({ topics: event.currentTarget.value })} />
          </Field>
        </div>
        {topicsProblem && <p class="field-problem" role="alert">{topicsProblem.problem}</p>}
        <fieldset class="newsletter-choices">
          <legend class="field-label">{t("newsletter.lists.public")}</legend>
          {SWITCHES.map((field) => (
            <label key={field} class="choice-line">
              <input type="checkbox" checked={entered[field]} onChange={(event) => write({ [field]: event.currentTarget.checked })} />
              <span>{t(`newsletter.lists.${field}`)}</span>
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend class="field-label">{t("newsletter.lists.welcome")}</legend>
          <p class="quiet">{t("newsletter.lists.welcome.about")}</p>
          <Field label={t("newsletter.issue.subject")} name="welcome.subject" error={error}>
            <input value={entered.subject} dir="auto" required={Boolean(entered.text.trim())} onInput={(event) => write({ subject: event.currentTarget.value })} />
          </Field>
          <Field label={t("newsletter.lists.welcome.text")} name="welcome.text" error={error}>
            <textarea rows={6} value={entered.text} dir="auto" required={Boolean(entered.subject.trim())} onInput={(event) => write({ text: event.currentTarget.value })} />
          </Field>
          {welcomeProblem && <p class="field-problem" role="alert">{welcomeProblem}</p>}
        </fieldset>
        {error && <ErrorNotice error={error} onRetry={() => void store.run()} fields={FIELDS} />}
        <div class="ops-editor-end">
          <Button kind="quiet" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          {of && <Button onClick={() => setHiding(true)}>{t("newsletter.lists.hide")}</Button>}
          <Button type="submit" kind="primary" busy={store.busy}>
            {t(of ? "newsletter.store" : "newsletter.lists.publish")}
          </Button>
        </div>
      </form>
      {isHiding && (
        <LiveChange
          title={`${name}: ${t("newsletter.lists.hide")}`}
          button={t("newsletter.lists.hide")}
          from={t("newsletter.lists.is_public")}
          to={t("newsletter.lists.is_hidden")}
          effect={t("newsletter.lists.hide.about")}
          set={hide}
          back={show}
          done={t("newsletter.lists.hidden")}
          onClose={() => setHiding(false)}
          onChanged={onStored}
        />
      )}
    </>
  );
}

// Where the public finds the list: to print, to link, and to enter into a reader of feeds.
function Addresses({ of }: { of: PublicList }) {
  const { config } = useApp();
  const known = ADDRESSES.flatMap((field) => (of[field] ? [{ field, address: new URL(of[field].slice(1), config.apiUrl).href }] : []));
  if (!known.length) return <p class="quiet">{t("newsletter.lists.no_address")}</p>;
  return (
    <>
      {known.map(({ field, address }) => (
        <Copied key={field} label={t(`newsletter.lists.${field}`)} value={address} />
      ))}
    </>
  );
}

function enteredOf(name: string, of: PublicList | undefined): Entered {
  const texts = Object.fromEntries(TEXTS.map((field) => [field, of?.[field] ?? (field === "title" ? name : "")])) as Record<(typeof TEXTS)[number], string>;
  const switches = Object.fromEntries(SWITCHES.map((field) => [field, of?.[field] ?? false])) as Record<(typeof SWITCHES)[number], boolean>;
  return {
    ...texts,
    ...switches,
    language: of?.language ?? document.documentElement.lang,
    topics: (of?.topics ?? []).join(", "),
    subject: of?.welcome?.subject ?? "",
    text: of?.welcome?.text ?? "",
  };
}

function bodyOf({ topics, subject, text, reply_to, ...others }: Entered, version: number): NewslettersApi.PublicListInput {
  return {
    ...others,
    version,
    reply_to: reply_to.trim() || null,
    topics: topics.split(",").map((one) => one.trim()).filter(Boolean),
    welcome: subject.trim() || text.trim() ? { subject, text } : null,
  };
}

function keptIn(text: string): Partial<Entered> {
  try {
    return JSON.parse(text || "{}") as Partial<Entered>;
  } catch {
    return {}; // of another version of the page
  }
}
