// The keys of the help desk, the shop, the shipping service and the model: written, and never shown again.

import { useState } from "preact/hooks";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { LiveChange } from "../../switches/LiveChange";
import type { Account } from "./AccountSetup";

const NAMES = ["richpanel", "shopify", "shopify_client_id", "shopify_client_secret", "shipstation_key", "shipstation_secret", "ai_api_key"] as const;
type Name = (typeof NAMES)[number];

export function Keys({ account, onChange }: { account: Account; onChange: () => Promise<unknown> }) {
  const { client } = useApp();
  const [given, setGiven] = useState<Partial<Record<Name, string>>>({});
  const [removed, setRemoved] = useState<Name | null>(null);
  const written = Object.fromEntries(Object.entries(given).filter(([, key]) => key));
  const store = useAction(async () => {
    await client.call("POST /admin/richpanel/keys", { body: written });
    setGiven({});
    showToast(t("desk.keys.stored"));
    await onChange();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("desk.keys")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h3>{t("desk.keys")}</h3>
      <p class="quiet">{t("desk.keys.about")}</p>
      {NAMES.map((name) => (
        <div key={name} class="setup-key">
          <Field label={t(`desk.key.${name}`)} name={name} error={store.error}>
            <input type="password" dir="ltr" autocomplete="off" maxLength={1000} value={given[name] ?? ""} onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value.trim() })} />
          </Field>
          <Badge kind={account.keys[name] ? "good" : "info"}>{t(account.keys[name] ? "desk.keys.is_stored" : "desk.keys.is_absent")}</Badge>
          {account.keys[name] && (
            <Button kind="quiet" label={t("desk.keys.remove_of", { name: t(`desk.key.${name}`) })} onClick={() => setRemoved(name)}>
              {t("desk.keys.remove")}
            </Button>
          )}
        </div>
      ))}
      {store.error && <ErrorNotice error={store.error} fields={[...NAMES]} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={store.busy} disabled={!Object.keys(written).length}>
          {t("desk.keys.store")}
        </Button>
      </div>
      {removed && (
        <LiveChange
          title={t("desk.keys.remove_of", { name: t(`desk.key.${removed}`) })}
          button={t("desk.keys.remove")}
          from={t("desk.keys.is_stored")}
          to={t("desk.keys.is_absent")}
          effect={t(removed === "richpanel" ? "desk.keys.effect.richpanel" : "desk.keys.effect.other")}
          set={() => client.call("POST /admin/richpanel/keys", { body: { remove: [removed] } })}
          back={null}
          done={t("desk.keys.removed")}
          onClose={() => setRemoved(null)}
          onChanged={onChange}
        />
      )}
    </form>
  );
}
