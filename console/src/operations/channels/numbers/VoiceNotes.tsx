// How the voice notes of a number become text: by which model, of which recordings, and what that costs.

import { useEffect, useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import type { WhatsappAdmin } from "../../../api/routes";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, Choices, ErrorNotice, Field, Skeleton } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";

type Transcriber = WhatsappAdmin.TranscriberView;
type Entered = Transcriber & { megabytes: string }; // as typed

const MB = 1_000_000; // bytes
const MOST_MB = 16;
const NEW: Transcriber = { provider: "openai", apiKeyReference: "", model: "gpt-4o-mini-transcribe", language: null, largestBytes: 2 * MB, automatic: true };
const FIELDS = ["apiKeyReference", "model", "language", "largestBytes"].map((name) => `transcription.${name}`);
const WHICH = ["automatic", "on_request"] as const;

export function VoiceNotes({ phone, isAutomated, onChange }: { phone: string; isAutomated: boolean; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const found = useResource(async (signal) => {
    const { numbers } = (await client.call("GET /whatsapp/transcription", { signal })).result;
    return { transcriber: numbers.find((one) => one.phone === phone)?.transcription ?? null };
  }, [client, phone]);
  const [given, setGiven] = useState<Entered | null>(null);
  useEffect(() => {
    if (found.value && !given) setGiven(enteredOf(found.value.transcriber));
  }, [found.value]);
  const set = async (transcription: Transcriber | null) => {
    await client.call("POST /whatsapp/transcription", { body: { phone, transcription: transcription as WhatsappAdmin.Transcriber | null } });
    await Promise.all([found.reload(), onChange()]);
  };
  const change = async (wanted: Transcriber | null) => {
    const before = found.value?.transcriber ?? null;
    await set(wanted);
    showToast(t(wanted ? "voice.stored" : "voice.removed"), async () => {
      await set(before);
      setGiven(enteredOf(before));
    });
  };
  const store = useAction(async () => change(given && transcriberOf(given)));
  const remove = useAction(() => change(null));
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (!given) return <Skeleton rows={4} kind="row" />;
  const write = (part: Partial<Entered>) => setGiven({ ...given, ...part });
  return (
    <form
      class="ops-editor"
      aria-label={t("voice.title")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <p>{t("voice.about")}</p>
      <p>{t("voice.cost")}</p>
      {isAutomated && <p class="notice">{t("voice.automated")}</p>}
      <Choices legend={t("voice.which")} name={`voice-${phone}`} values={WHICH} textOf={(one) => t(`voice.which.${one}`)} chosen={given.automatic ? "automatic" : "on_request"} onChoose={(one) => write({ automatic: one === "automatic" })} />
      {given.provider === "openai" && (
        <Field label={t("voice.key")} name="transcription.apiKeyReference" error={store.error}>
          <input dir="ltr" required value={given.apiKeyReference ?? ""} placeholder="parley/prod/companies/acme/openai" onInput={(event) => write({ apiKeyReference: event.currentTarget.value })} />
        </Field>
      )}
      <Field label={t("voice.model")} name="transcription.model" error={store.error}>
        <input dir="ltr" required maxLength={200} value={given.model} onInput={(event) => write({ model: event.currentTarget.value })} />
      </Field>
      <Field label={t("voice.language")} name="transcription.language" error={store.error}>
        <input dir="ltr" maxLength={2} value={given.language ?? ""} onInput={(event) => write({ language: event.currentTarget.value.toLowerCase() })} />
      </Field>
      <Field label={t("voice.largest", { most: MOST_MB })} name="transcription.largestBytes" error={store.error}>
        <input type="number" required min={0.1} max={MOST_MB} step="any" value={given.megabytes} onInput={(event) => write({ megabytes: event.currentTarget.value })} />
      </Field>
      {store.error && <ErrorNotice error={store.error} fields={FIELDS} onRetry={() => void store.run()} />}
      {remove.error && <ErrorNotice error={remove.error} onRetry={() => void remove.run()} />}
      <div class="ops-editor-end">
        {found.value?.transcriber && (
          <Button busy={remove.busy} onClick={() => void remove.run()}>
            {t("voice.remove")}
          </Button>
        )}
        <Button type="submit" kind="primary" busy={store.busy}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}

function enteredOf(stored: Transcriber | null): Entered {
  const shown = stored ?? NEW;
  return { ...shown, megabytes: String(shown.largestBytes / MB) };
}

function transcriberOf({ megabytes, apiKeyReference, language, ...rest }: Entered): Transcriber {
  return { ...rest, largestBytes: Math.round(Number(megabytes) * MB), apiKeyReference: apiKeyReference?.trim() || null, language: language || null };
}
