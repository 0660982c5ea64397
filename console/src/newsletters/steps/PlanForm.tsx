// For whom a newsletter is, and how it is written: the first step, and a new newsletter.

import type { ApiError } from "../../api/errors";
import { useResource } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field, Skeleton } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { useChange } from "../changes";
import { optionsOf, optionText, stored, type Metadata, type Options } from "../source";

const CHOICES = ["tone_preset", "length_preference", "frequency"] as const;
export const LANGUAGES = ["en", "de", "fr", "es", "pt", "ar", "am", "sw"];
const FIELDS = ["title", "description", "preview", "target_audience", "geographic_focus", "language", ...CHOICES];

export interface Plan {
  target_audience: string[];
  tone_preset: string;
  length_preference: string;
  frequency: string;
  geographic_focus: string;
  language: string;
}

interface Entered extends Plan {
  title: string;
  description: string;
  preview: string;
}

const EMPTY: Entered = {
  title: "", description: "", preview: "", target_audience: [], tone_preset: "industry_insight", length_preference: "standard", frequency: "weekly", geographic_focus: "", language: "en",
};

interface Props {
  of?: Metadata; // none: a new one
  onStored: (code: string) => void;
  onClose?: () => void;
}

export function PlanForm({ of, onStored, onClose }: Props) {
  const { client } = useApp();
  const session = useSession();
  const draft = useDraft(`newsletter plan ${of?.newsletter_code ?? ""}`);
  const options = useResource((signal) => optionsOf(client, signal), [client]);
  const before = of ? enteredOf(of) : { ...EMPTY, language: document.documentElement.lang };
  const entered: Entered = { ...before, ...keptIn(draft.text) };
  const write = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...keptIn(draft.text), ...change }));
  const store = useChange(async () => {
    if (of) {
      const changed = Object.fromEntries(Object.entries(entered).filter(([name, value]) => String(value) !== String(before[name as keyof Entered])));
      const body = { ...changed, version: of.version } as NewslettersApi.NewsletterChange;
      if (Object.keys(changed).length) await client.call("PATCH /newsletters/{code}", { path: { code: of.newsletter_code }, body, key: draft.keyFor(body) });
      draft.sent(draft.text);
      stored();
      return onStored(of.newsletter_code);
    }
    const { title, ...others } = entered;
    const name = session.person?.name;
    const body = { ...others, ...(title.trim() ? { title } : {}), ...(name ? { user_name: name.slice(0, 100) } : {}) } as NewslettersApi.NewsletterInput;
    const { result } = await client.call("POST /newsletters", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    onStored(result.newsletter_code);
  });
  if (options.error) return <ErrorNotice error={options.error} onRetry={() => void options.reload()} />;
  if (!options.value) return <Skeleton rows={5} kind="row" />;
  const { error } = store;
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t(of ? "newsletter.step.plan" : "newsletter.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <Field label={t("newsletter.field.title")} name="title" error={error}>
        <input value={entered.title} required maxLength={200} onInput={(event) => write({ title: event.currentTarget.value })} />
      </Field>
      <Field label={t("newsletter.field.description")} name="description" error={error}>
        <textarea rows={2} value={entered.description} onInput={(event) => write({ description: event.currentTarget.value })} />
      </Field>
      <PlanFields options={options.value} entered={entered} write={write} error={error} />
      <Field label={t("newsletter.field.preview")} name="preview" error={error}>
        <input value={entered.preview} onInput={(event) => write({ preview: event.currentTarget.value })} />
      </Field>
      {error && <ErrorNotice error={error} onRetry={() => void store.run()} fields={FIELDS} />}
      <div class="ops-editor-end">
        {onClose && (
          <Button kind="quiet" onClick={onClose}>
            {t("action.cancel")}
          </Button>
        )}
        <Button type="submit" kind="primary" busy={store.busy}>
          {t(of ? "newsletter.store" : "newsletter.create")}
        </Button>
      </div>
    </form>
  );
}

// The values that newsletters of a series share, too; *prefix* is that of the names of their fields.
export function PlanFields({ options, entered, write, error, prefix = "" }: {
  options: Options;
  entered: Plan;
  write: (change: Partial<Plan>) => void;
  error: ApiError | null;
  prefix?: string;
}) {
  return (
    <>
      <Audience options={options} chosen={entered.target_audience} onChoose={(target_audience) => write({ target_audience })} />
      {prefix && error?.problemOf(`${prefix}target_audience`) && <p class="field-problem" role="alert">{error.problemOf(`${prefix}target_audience`)}</p>}
      <div class="newsletter-columns">
        {CHOICES.map((name) => (
          <Field key={name} label={t(`newsletter.field.${name}`)} name={prefix + name} error={error}>
            <select value={entered[name]} onChange={(event) => write({ [name]: event.currentTarget.value })}>
              {(options[name] ?? []).map((one) => (
                <option key={one.value} value={one.value}>
                  {optionText(name, one)}
                </option>
              ))}
            </select>
          </Field>
        ))}
        <Field label={t("newsletter.field.language")} name={`${prefix}language`} error={error}>
          <select value={entered.language} onChange={(event) => write({ language: event.currentTarget.value })}>
            {[...new Set([...LANGUAGES, entered.language])].map((one) => (
              <option key={one} value={one}>
                {languageName(one)}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Field label={t("newsletter.field.geographic_focus")} name={`${prefix}geographic_focus`} error={error}>
        <input value={entered.geographic_focus} onInput={(event) => write({ geographic_focus: event.currentTarget.value })} />
      </Field>
    </>
  );
}

// The plan of a new series, or of one with these values.
export function planOf(values: Partial<Plan>): Plan {
  const { target_audience, tone_preset, length_preference, frequency, geographic_focus } = EMPTY;
  const known = { target_audience, tone_preset, length_preference, frequency, geographic_focus, language: document.documentElement.lang };
  return Object.fromEntries(Object.entries(known).map(([name, value]) => [name, values[name as keyof Plan] ?? value])) as unknown as Plan;
}

// Names of the company's own stay chosen, but only the API adds some.
function Audience({ options, chosen, onChoose }: { options: Options; chosen: string[]; onChoose: (chosen: string[]) => void }) {
  const known = (options.target_audience ?? []) as { value: string; label: string }[];
  const others = chosen.filter((one) => !known.some(({ value }) => value === one)).map((value) => ({ value, label: value.replaceAll("_", " ") }));
  return (
    <fieldset class="newsletter-choices">
      <legend class="field-label">{t("newsletter.field.target_audience")}</legend>
      {[...known, ...others].map((one) => (
        <label key={one.value} class="choice-line">
          <input
            type="checkbox"
            checked={chosen.includes(one.value)}
            onChange={(event) => onChoose(event.currentTarget.checked ? [...chosen, one.value] : chosen.filter((value) => value !== one.value))}
          />
          <span>{optionText("target_audience", one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function enteredOf(metadata: Metadata): Entered {
  return Object.fromEntries(Object.keys(EMPTY).map((name) => [name, metadata[name as keyof Entered]])) as unknown as Entered;
}

function keptIn(text: string): Partial<Entered> {
  try {
    return JSON.parse(text || "{}") as Partial<Entered>;
  } catch {
    return {}; // of another version of the page
  }
}

export function languageName(tag: string): string {
  return new Intl.DisplayNames([document.documentElement.lang], { type: "language" }).of(tag) ?? tag;
}
