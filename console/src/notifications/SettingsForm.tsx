// What a person wants to be notified of, and when not to be disturbed; the notifications and the tone of this browser.

import { useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp } from "../app";
import { NotificationSettings } from "../live/NotificationSettings";
import { ahead } from "../texts/format";
import { language, t, type Key } from "../texts/texts";
import { Button, ErrorNotice, Field } from "../ui/controls";
import { PushSetting } from "./PushSetting";
import { KINDS, type Kind, type Settings } from "./source";

const HOUR_MS = 3_600_000;

interface Props {
  settings: Settings;
  onStored: () => Promise<void>;
  onClose: () => void;
}

export function SettingsForm({ settings, onStored, onClose }: Props) {
  const { client } = useApp();
  const [muted, setMuted] = useState<readonly Kind[]>(settings.muted);
  const isAhead = settings.quietUntil && new Date(settings.quietUntil) > new Date();
  const [until, setUntil] = useState<string | null>(isAhead ? settings.quietUntil! : null);
  const [from, setFrom] = useState(settings.quietFrom ?? "");
  const [to, setTo] = useState(settings.quietTo ?? "");
  const [digest, setDigest] = useState(settings.digestHours ?? 0);
  const hasHours = from !== "" && to !== "";
  const store = useAction(async () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const hours = hasHours ? { quietFrom: from, quietTo: to, zone } : {};
    await client.call("POST /inbox/notifications/settings", { body: { muted: [...muted], ...(until ? { quietUntil: until } : {}), ...(digest ? { digestHours: digest as 4 | 24 } : {}), language, ...hours } });
    await onStored();
  });
  const toggle = (kind: Kind) => setMuted(muted.includes(kind) ? muted.filter((one) => one !== kind) : [...muted, kind]);
  return (
    <form
      class="notifications"
      aria-label={t("notifications.settings")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h2>{t("notifications.settings")}</h2>
      <fieldset>
        <legend>{t("notifications.kinds")}</legend>
        {KINDS.map((kind) => (
          <label key={kind} class="choice-line">
            <input type="checkbox" checked={!muted.includes(kind)} onChange={() => toggle(kind)} />
            <span>{t(`notifications.kind.${kind}` as Key)}</span>
          </label>
        ))}
      </fieldset>
      <fieldset>
        <legend>{t("notifications.quiet")}</legend>
        <p class="quiet">{until ? t("notifications.quiet_until", { at: ahead(until) }) : t("notifications.quiet_about")}</p>
        <div class="notifications-row">
          {[1, 4, 24].map((hours) => (
            <Button key={hours} onClick={() => setUntil(new Date(Date.now() + hours * HOUR_MS).toISOString())}>
              {t("notifications.for_hours", { hours })}
            </Button>
          ))}
          {until && <Button onClick={() => setUntil(null)}>{t("notifications.quiet_end")}</Button>}
        </div>
        <div class="notifications-row">
          <Field label={t("notifications.from")} name="quietFrom" error={store.error}>
            <input type="time" value={from} required={to !== ""} onInput={(event) => setFrom(event.currentTarget.value)} />
          </Field>
          <Field label={t("notifications.to")} name="quietTo" error={store.error}>
            <input type="time" value={to} required={from !== ""} onInput={(event) => setTo(event.currentTarget.value)} />
          </Field>
        </div>
      </fieldset>
      {settings.isDigestOffered && (
        <Field label={t("notifications.digest")} name="digestHours" error={store.error}>
          <select value={digest} onChange={(event) => setDigest(Number(event.currentTarget.value))}>
            {([0, 4, 24] as const).map((hours) => (
              <option key={hours} value={hours}>
                {t(`notifications.digest.${hours}`)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {settings.lacksAddress && !store.error && <p class="notice notice-warn">{t("problem.no_address")}</p>}
      <NotificationSettings />
      <PushSetting />
      {store.error && <ErrorNotice error={store.error} fields={["quietFrom", "quietTo", "digestHours"]} />}
      <div class="notifications-row">
        <Button kind="primary" type="submit" busy={store.busy}>
          {t("notifications.store")}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t("notifications.back")}
        </Button>
      </div>
    </form>
  );
}
