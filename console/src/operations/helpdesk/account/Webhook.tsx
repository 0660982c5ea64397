// What the help desk calls: the address and its token, which is shown once.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice } from "../../../ui/controls";
import { Copied } from "../../../setup/Copied";
import { LiveChange } from "../../switches/LiveChange";
import type { Account } from "./AccountSetup";

export function Webhook({ account, onChange }: { account: Account; onChange: () => Promise<unknown> }) {
  const { client } = useApp();
  const [made, setMade] = useState<RichpanelAdmin.TokenView | null>(null);
  const [isAsked, setAsked] = useState(false);
  // One id until an answer came: a repeat after a lost answer makes no further token.
  const [attempt, setAttempt] = useState(() => crypto.randomUUID());
  const make = useAction(async () => {
    setMade((await client.call("POST /admin/richpanel/webhook-tokens", { body: {}, key: attempt })).result);
    setAttempt(crypto.randomUUID());
    await onChange();
  });
  return (
    <div class="setup-number" role="group" aria-label={t("desk.webhook")}>
      <h3>{t("desk.webhook")}</h3>
      <p class="quiet">{t("desk.webhook.about")}</p>
      <Copied label={t("desk.webhook.address")} value={account.webhook} />
      <Copied label={t("desk.webhook.header")} value="X-Middleware-Token" />
      <Copied label={t("desk.webhook.body")} value='{"ticket_id": "…"}' />
      <p role="status">{made ? (made.token ? t("desk.webhook.once") : t("desk.webhook.lost")) : t("desk.webhook.tokens", { count: account.tokens })}</p>
      {made?.token && <Copied label={t("desk.webhook.token")} value={made.token} isSecret />}
      {make.error && <ErrorNotice error={make.error} onRetry={() => void make.run()} />}
      <div class="ops-editor-end">
        <Button busy={make.busy} disabled={account.company === null} onClick={() => void make.run()}>
          {t("desk.webhook.make")}
        </Button>
        {account.tokens > 1 && <Button onClick={() => setAsked(true)}>{t("desk.webhook.end")}</Button>}
      </div>
      {isAsked && (
        <LiveChange
          title={t("desk.webhook.end")}
          button={t("desk.webhook.end")}
          from={t("desk.webhook.tokens", { count: account.tokens })}
          to={t("desk.webhook.tokens", { count: 1 })}
          effect={t("desk.webhook.effect")}
          set={() => client.call("DELETE /admin/richpanel/webhook-tokens", {})}
          back={null}
          done={t("desk.webhook.ended")}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        />
      )}
    </div>
  );
}
