// What customers see of the catalog at a number, and whether they can fill a cart.

import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { Section } from "../../operations/sections";
import { t } from "../../texts/texts";
import { ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

type Setting = keyof Actions.CommerceSettings;

const SETTINGS = ["isCatalogVisible", "isCartEnabled"] as const satisfies readonly Setting[];

export function CommerceSettings({ phone, name }: { phone: string; name: string }) {
  const { client } = useApp();
  const settings = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_commerce_settings", { body: { phone }, signal })).result, [client, phone]);
  return (
    <Section title={t("catalogs.settings_of", { name })} about={t("catalogs.settings.about")} resource={settings}>
      {(found) => (
        <>
          {SETTINGS.map((one) => (
            <Switch key={one} phone={phone} setting={one} value={found[one] ?? null} onChange={settings.reload} />
          ))}
        </>
      )}
    </Section>
  );
}

function Switch({ phone, setting, value, onChange }: { phone: string; setting: Setting; value: boolean | null; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const set = async (wanted: boolean) => {
    await client.call("POST /whatsapp/actions/update_commerce_settings", { body: { phone, [setting]: wanted } });
    await onChange();
  };
  const change = useAction(async () => {
    await set(!value);
    showToast(t("catalogs.settings.stored"), value === null ? null : () => set(value));
  });
  return (
    <>
      <label class="choice-line">
        <input type="checkbox" checked={value === true} aria-busy={change.busy} onChange={() => void change.run()} />
        <span>
          {t(`catalogs.settings.${setting}`)} {value === null && <span class="quiet">{t("ops.unknown")}</span>}
        </span>
      </label>
      {change.error && <ErrorNotice error={change.error} onRetry={() => void change.run()} />}
    </>
  );
}
