// Connects a catalog of Meta to an account by its id.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";

export function ConnectForm({ waba, onConnected }: { waba: string; onConnected: () => Promise<unknown> }) {
  const { client } = useApp();
  const draft = useDraft(`catalog-${waba}`);
  const connect = useAction(async () => {
    const body = { metaWabaId: waba, catalogId: draft.text.trim() };
    await client.call("POST /whatsapp/actions/connect_catalog", { body });
    draft.sent(draft.text);
    showToast(t("catalogs.is_connected"), async () => {
      await client.call("POST /whatsapp/actions/disconnect_catalog", { body });
      await onConnected();
    });
    await onConnected();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("catalogs.connect_one")}
      onSubmit={(event) => {
        event.preventDefault();
        void connect.run();
      }}
    >
      <p class="quiet">{t("catalogs.effect.connect")}</p>
      {connect.error && <ErrorNotice error={connect.error} fields={["catalogId"]} onRetry={() => void connect.run()} />}
      <Field label={t("catalogs.id")} name="catalogId" error={connect.error}>
        <input dir="ltr" inputMode="numeric" required pattern="[0-9]{5,25}" value={draft.text} onInput={(event) => draft.write(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" busy={connect.busy}>
          {t("catalogs.connect_one")}
        </Button>
      </div>
    </form>
  );
}
