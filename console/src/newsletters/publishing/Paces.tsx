// The most mails an hour of issues to each mailbox provider, and the domains of others that it hosts.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const PROVIDERS = ["google", "microsoft", "yahoo", "apple", "other"] as const;
type Provider = (typeof PROVIDERS)[number];
type Settings = NewslettersApi.SettingsView;
type Paces = Settings["mailbox_providers"];
type Entered = Record<Provider, { perHour: string; domains: string }>;

const FIELDS = PROVIDERS.flatMap((one) => [`mailbox_providers.${one}.per_hour`, `mailbox_providers.${one}.domains`]);

interface Props {
  settings: Settings;
  set: (paces: Paces, version?: number) => Promise<unknown>; // without a version: of the settings that are stored then
  onStored: () => Promise<void>;
}

export function Paces({ settings, set, onStored }: Props) {
  const [entered, setEntered] = useState(enteredOf(settings.mailbox_providers));
  const write = (one: Provider, change: Partial<Entered[Provider]>) => setEntered({ ...entered, [one]: { ...entered[one], ...change } });
  const store = useAction(async () => {
    // The whole table, so of the version that is shown: a colleague's change is not replaced.
    await set(pacesOf(entered), settings.version);
    showToast(t("newsletter.settings.stored"), async () => {
      await set(settings.mailbox_providers);
      await onStored();
    });
    await onStored();
  });
  return (
    <form
      class="ops-editor newsletter-form"
      aria-label={t("newsletter.paces")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h3>{t("newsletter.paces")}</h3>
      <p class="quiet">{t("newsletter.paces.about")}</p>
      {PROVIDERS.map((one) => (
        <fieldset key={one}>
          <legend class="field-label">{t(`newsletter.provider.${one}`)}</legend>
          <Field label={t("newsletter.paces.per_hour")} name={`mailbox_providers.${one}.per_hour`} error={store.error}>
            <input type="number" min={1} max={36_000} step={1} value={entered[one].perHour} onInput={(event) => write(one, { perHour: event.currentTarget.value })} />
          </Field>
          {one !== "other" && (
            <Field label={t("newsletter.paces.domains")} name={`mailbox_providers.${one}.domains`} error={store.error}>
              <textarea dir="ltr" rows={2} value={entered[one].domains} placeholder="example.com" onInput={(event) => write(one, { domains: event.currentTarget.value })} />
            </Field>
          )}
        </fieldset>
      ))}
      {store.error && <ErrorNotice error={store.error} fields={FIELDS} onRetry={() => void store.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" busy={store.busy}>
          {t("newsletter.paces.store")}
        </Button>
      </div>
    </form>
  );
}

function enteredOf(paces: Paces): Entered {
  const one = (name: Provider) => ({ perHour: String(paces[name]?.per_hour ?? ""), domains: (paces[name]?.domains ?? []).join("\n") });
  return Object.fromEntries(PROVIDERS.map((name) => [name, one(name)])) as Entered;
}

function pacesOf(entered: Entered): Paces {
  const paces: Paces = {};
  for (const name of PROVIDERS) {
    const { perHour, domains } = entered[name];
    const lines = domains.split(/[\s,]+/).filter(Boolean);
    if (perHour || lines.length) paces[name] = { per_hour: perHour ? Number(perHour) : null, domains: lines };
  }
  return paces;
}
