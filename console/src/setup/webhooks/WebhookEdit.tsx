// The change of a webhook: name, address and events; what differs is asked before it is stored.

import { useState } from "preact/hooks";
import type { ConsoleApi } from "../../api/routes";
import { useApp } from "../../app";
import { LiveChange } from "../../operations/switches/LiveChange";
import { t } from "../../texts/texts";
import { Button } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { Fields, kept, type Entered } from "./WebhookForm";
import type { Webhook } from "./WebhooksPage";

type Change = ConsoleApi.WebhookChange;

export function WebhookEdit({ row, onChanged, onEnd }: { row: Webhook; onChanged: () => Promise<unknown>; onEnd: () => void }) {
  const { client } = useApp();
  const draft = useDraft(`webhook-${row.webhookId}`);
  const [isAsked, setAsked] = useState(false);
  const before: Entered = { name: row.name, url: "", types: row.types.filter((one) => one !== "webhook.test"), contexts: [...row.contexts] };
  const entered = kept(draft.text, before);
  const path = { webhook_id: row.webhookId };
  const put = (body: Change) => client.call("POST /inbox/webhooks/{webhook_id}", { path, body });
  const change = changeOf(row, entered);
  // The API shows an address without its query, which may be a secret: such a one cannot be put back.
  const isReturned = !(change.url && row.hasQuery);
  const back = () => put({ name: row.name, types: before.types, contexts: before.contexts, ...(change.url && { url: row.url }) });
  const end = () => {
    draft.write("");
    onEnd();
  };
  return (
    <section class="ops-section" aria-label={t("webhooks.edit_of", { name: row.name })}>
      <h2>{t("webhooks.edit_of", { name: row.name })}</h2>
      <form
        class="ops-editor"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(true);
        }}
      >
        <p class="quiet">
          {t("webhooks.url")}: <bdi dir="ltr">{shownUrl(row)}</bdi>
        </p>
        <Fields entered={entered} error={null} onEnter={(part) => draft.write(JSON.stringify({ ...entered, ...part }))} />
        <div class="ops-editor-end">
          <Button onClick={end}>{t("action.cancel")}</Button>
          <Button type="submit" kind="primary" disabled={!Object.keys(change).length || !entered.name.trim() || !entered.types.length || !entered.contexts.length}>
            {t("ops.store")}
          </Button>
        </div>
      </form>
      {isAsked && (
        <LiveChange
          title={t("webhooks.edit_of", { name: row.name })}
          button={t("ops.store")}
          from={said(row, before, change).join("; ")}
          to={said(row, entered, change).join("; ")}
          effect={t(change.url ? "webhooks.effect.url" : "webhooks.effect.edit")}
          set={async () => {
            await put(change);
            draft.write("");
          }}
          back={isReturned ? back : null}
          done={t("webhooks.done.edit")}
          onClose={() => setAsked(false)}
          onChanged={async () => {
            await onChanged();
            onEnd();
          }}
        />
      )}
    </section>
  );
}

function changeOf(row: Webhook, { name, url, types, contexts }: Entered): Change {
  const differs = (one: readonly string[], other: readonly string[]) => [...one].sort().join() !== [...other].sort().join();
  return {
    ...(name.trim() !== row.name && { name: name.trim() }),
    ...(url.trim() && { url: url.trim() }),
    ...(differs(types, row.types) && { types }),
    ...(differs(contexts, row.contexts) && { contexts }),
  };
}

// The changed fields, in words.
function said(row: Webhook, { name, url, types, contexts }: Entered, change: Change): string[] {
  return [
    ...(change.name ? [name.trim()] : []),
    ...(change.url ? [url.trim() || shownUrl(row)] : []),
    ...(change.types ? [types.map((one) => t(`webhooks.type.${one}`)).join(", ")] : []),
    ...(change.contexts ? [contexts.map((one) => t(`context.${one}`)).join(", ")] : []),
  ];
}

function shownUrl(row: Webhook): string {
  return row.hasQuery ? `${row.url}?…` : row.url;
}
