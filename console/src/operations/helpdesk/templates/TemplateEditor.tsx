// Edits the wordings of one template in one language. What was typed stays until it is stored, also after a conflict.

import { useState } from "preact/hooks";
import type { ApiError } from "../../../api/errors";
import type { RichpanelAdmin } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { draftOf, keepDraft } from "../../../conversations/drafts";
import { named, t } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { ownWording, VARIANTS, withWording, type Settings, type Variant, type Wording } from "./settings";

interface EditorProps {
  name: string;
  language: string;
  template: RichpanelAdmin.TemplateView;
  settings: Settings;
  onStored: () => Promise<void>;
}

function storedWording({ name, language, template, settings }: EditorProps): Wording {
  const own = ownWording(settings, name, language);
  const standard = template.texts[language] ?? {};
  return own ?? { default: standard.default ?? "", livechat: standard.livechat ?? "" };
}

// The problem of a wording: fields are settings.templates.{template}.{language}.{variant}, or end earlier.
function problemsOf(error: ApiError | null, place: string): string[] {
  return (error?.details ?? [])
    .filter(({ field }) => field !== undefined && (field === place || place.startsWith(`${field}.`)) && field.startsWith("settings.templates"))
    .map(({ problem }) => problem ?? "");
}

export function TemplateEditor(props: EditorProps) {
  const { name, language, settings, onStored } = props;
  const { client } = useApp();
  const stored = storedWording(props);
  const draftKey = (variant: Variant) => `template:${name}:${language}:${variant}`;
  const kept = (variant: Variant) => draftOf(draftKey(variant)) || stored[variant];
  const [texts, setTexts] = useState<Wording>({ default: kept("default"), livechat: kept("livechat") });
  const [conflicted, setConflicted] = useState(false);
  const isChanged = VARIANTS.some((variant) => texts[variant] !== stored[variant]);
  const forget = () => VARIANTS.forEach((variant) => keepDraft(draftKey(variant), ""));
  const change = (variant: Variant, text: string) => {
    setTexts({ ...texts, [variant]: text });
    keepDraft(draftKey(variant), text === stored[variant] ? "" : text);
    save.clear();
  };
  const save = useAction(async () => {
    await client.call("PUT /admin/richpanel/settings", {
      body: { based_on: settings.number, settings: withWording(settings.settings, name, language, texts) },
    });
    forget();
    setConflicted(false);
    await onStored();
  });
  const reset = useAction(async () => {
    await client.call("PUT /admin/richpanel/settings", {
      body: { based_on: settings.number, settings: withWording(settings.settings, name, language, null) },
    });
    forget();
    const standard = props.template.texts[language] ?? {};
    setTexts({ default: standard.default ?? "", livechat: standard.livechat ?? "" });
    await onStored();
  });
  const error = save.error ?? reset.error;
  const places = VARIANTS.map((variant) => `settings.templates.${name}.${language}.${variant}`);
  const discard = () => {
    const typed = texts;
    setTexts(stored);
    forget();
    save.clear();
    showToast(t("undo.discarded"), async () => {
      setTexts(typed);
      VARIANTS.forEach((variant) => keepDraft(draftKey(variant), typed[variant] === stored[variant] ? "" : typed[variant]));
    });
  };
  return (
    <form
      class="ops-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {VARIANTS.map((variant, index) => (
        <TextField
          key={variant}
          variant={variant}
          text={texts[variant]}
          other={conflicted ? stored[variant] : null}
          problems={problemsOf(error, places[index]!)}
          onInput={(text) => change(variant, text)}
        />
      ))}
      {error?.code === "outdated" ? (
        <Conflict
          onLoad={async () => {
            await onStored();
            setConflicted(true);
            save.clear();
            reset.clear();
          }}
        />
      ) : (
        error && <ErrorNotice error={error} fields={error.details.map(({ field }) => field ?? "").filter((field) => places.some((place) => place.startsWith(field)))} />
      )}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy} disabled={!isChanged}>
          {t("ops.store")}
        </Button>
        <Button disabled={!isChanged} onClick={discard}>
          {t("ops.discard")}
        </Button>
        {ownWording(settings, name, language) && (
          <Button busy={reset.busy} onClick={() => void reset.run()}>
            {t("ops.template.reset")}
          </Button>
        )}
      </div>
      <Preview name={name} language={language} settings={withWording(settings.settings, name, language, isChanged ? texts : ownWording(settings, name, language))} />
    </form>
  );
}

function TextField({ variant, text, other, problems, onInput }: {
  variant: Variant;
  text: string;
  other: string | null;
  problems: string[];
  onInput: (text: string) => void;
}) {
  const id = `problem-${variant}`;
  return (
    <label class="field">
      <span class="field-label">{named("variant", variant)}</span>
      <textarea dir="auto"
        rows={variant === "default" ? 14 : 5}
        value={text}
        aria-invalid={problems.length > 0}
        aria-describedby={problems.length ? id : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problems.length > 0 && (
        <span class="field-problem" id={id} role="alert">
          {problems.join("; ")}
        </span>
      )}
      {other !== null && other !== text && (
        <details>
          <summary>{t("ops.template.stored")}</summary>
          <pre class="ops-facts">{other}</pre>
        </details>
      )}
    </label>
  );
}

function Conflict({ onLoad }: { onLoad: () => Promise<void> }) {
  const load = useAction(onLoad);
  return (
    <div class="notice notice-warn" role="alert">
      <p>{t("ops.template.conflict")}</p>
      <Button busy={load.busy} onClick={() => void load.run()}>
        {t("ops.template.load")}
      </Button>
    </div>
  );
}

const CHANNELS = ["email", "livechat", "social", "tiktok", "phone"] as const;

function Preview({ name, language, settings }: { name: string; language: string; settings: Record<string, unknown> }) {
  const { client } = useApp();
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]>("email");
  const [text, setText] = useState<string | null>(null);
  const preview = useAction(async () => {
    const body = { template: name, language: language as RichpanelAdmin.Language, channel, settings };
    setText((await client.call("POST /admin/richpanel/settings/preview", { body })).result.text);
  });
  return (
    <section class="ops-preview" aria-label={t("ops.preview")}>
      <div class="ops-editor-end">
        <label class="ops-filter">
          <span class="field-label">{t("ops.channel")}</span>
          <select value={channel} onChange={(event) => setChannel(event.currentTarget.value as (typeof CHANNELS)[number])}>
            {CHANNELS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Button busy={preview.busy} onClick={() => void preview.run()}>
          {t("ops.preview")}
        </Button>
      </div>
      {preview.error && <ErrorNotice error={preview.error} />}
      {text !== null && !preview.error && <p class="picker-preview" dir="auto">{text}</p>}
      <p class="quiet">{t("ops.preview.about")}</p>
    </section>
  );
}
