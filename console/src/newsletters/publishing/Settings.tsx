// Switches of the company's newsletters, and how often its model may be called on a day.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { useApp } from "../../app";
import { LiveChange } from "../../operations/switches/LiveChange";
import { count, Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { Paces } from "./Paces";

const SWITCHES = ["four_eyes", "track_clicks", "ses_tenant"] as const;
type Switch = (typeof SWITCHES)[number];
type Changed = Partial<Record<Switch, boolean>> & { ai_daily_units?: number; mailbox_providers?: NewslettersApi.SettingsView["mailbox_providers"] };

export function Settings() {
  const { client } = useApp();
  const [asked, setAsked] = useState<Switch | null>(null);
  const read = async (signal?: AbortSignal) => (await client.call("GET /newsletters/settings", signal ? { signal } : {})).result;
  const found = useResource(read, [client]);
  // Of the version that is stored now: another setting may have been changed meanwhile.
  const set = async (changed: Changed, version?: number) => client.call("PUT /newsletters/settings", { body: { version: version ?? (await read()).version, ...changed } });
  return (
    <Section title={t("newsletter.settings")} about={t("newsletter.settings.about")} resource={found}>
      {(settings) => (
        <>
          <ul class="ops-list">
            {SWITCHES.map((one) => (
              <li key={one}>
                <Badge kind={settings[one] ? "good" : "plain"}>{t(settings[one] ? "newsletter.settings.on" : "newsletter.settings.off")}</Badge> {t(`newsletter.settings.${one}`)}{" "}
                <Button label={t(settings[one] ? "newsletter.settings.end" : "newsletter.settings.begin", { name: t(`newsletter.settings.${one}`) })} onClick={() => setAsked(one)}>
                  {t(settings[one] ? "newsletter.settings.turn_off" : "newsletter.settings.turn_on")}
                </Button>
              </li>
            ))}
          </ul>
          <Units key={settings.version} now={settings.ai_daily_units} set={set} onStored={found.reload} />
          <Paces key={`paces ${settings.version}`} settings={settings} set={(mailbox_providers, version) => set({ mailbox_providers }, version)} onStored={found.reload} />
          {asked && (
            <LiveChange
              title={t(`newsletter.settings.${asked}`)}
              button={t(settings[asked] ? "newsletter.settings.turn_off" : "newsletter.settings.turn_on")}
              from={t(settings[asked] ? "newsletter.settings.on" : "newsletter.settings.off")}
              to={t(settings[asked] ? "newsletter.settings.off" : "newsletter.settings.on")}
              effect={t(`newsletter.settings.effect.${asked}`)}
              set={() => set({ [asked]: !settings[asked] })}
              back={() => set({ [asked]: settings[asked] })}
              done={t("newsletter.settings.stored")}
              onClose={() => setAsked(null)}
              onChanged={found.reload}
            />
          )}
        </>
      )}
    </Section>
  );
}

function Units({ now, set, onStored }: { now: number; set: (changed: Changed) => Promise<unknown>; onStored: () => Promise<void> }) {
  const [units, setUnits] = useState(String(now));
  const store = useAction(async () => {
    await set({ ai_daily_units: Number(units) });
    showToast(t("newsletter.settings.stored"), async () => {
      await set({ ai_daily_units: now });
      await onStored();
    });
    await onStored();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("newsletter.settings.ai_daily_units")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <Field label={t("newsletter.settings.ai_daily_units")} name="ai_daily_units" error={store.error}>
        <input type="number" required min={0} max={100_000} step={1} value={units} onInput={(event) => setUnits(event.currentTarget.value)} />
      </Field>
      <p class="quiet">{t("newsletter.settings.units_now", { count: count(now) })}</p>
      {store.error && <ErrorNotice error={store.error} fields={["ai_daily_units"]} onRetry={() => void store.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" busy={store.busy}>
          {t("newsletter.store")}
        </Button>
      </div>
    </form>
  );
}
