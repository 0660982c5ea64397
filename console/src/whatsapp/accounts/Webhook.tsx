// Whether the events of an account at Meta arrive: the subscription, the secrets that verify them, and what came last.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Confirm, Section, Time } from "../../operations/sections";
import { isVerified } from "../../setup/steps/entered";
import { placeOf } from "../../shell/router";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { whereOffered } from "../offers";

export const EVENTS = ["messages", "smb_message_echoes", "message_template_status_update"];
const MOST_EVENTS = 100;
const REJECTED = "RequestsRejected"; // the alarm of signatures that no secret has made

export function Webhook({ account, isOperator }: { account: Account; isOperator: boolean }) {
  const { client } = useApp();
  const body = { metaWabaId: account.waba };
  const [isEnding, setEnding] = useState(false);
  const found = useResource(
    async (signal) => {
      const [apps, settings, events, address, alarms] = await Promise.all([
        whereOffered(client.call("POST /whatsapp/actions/get_webhook_subscriptions", { body, signal })),
        client.call("POST /whatsapp/actions/get_webhook_config", { body, signal }),
        client.call("POST /whatsapp/actions/get_webhook_events", { body: { ...body, limit: MOST_EVENTS }, signal }),
        isOperator ? client.call("GET /operations/whatsapp/webhook", { signal }) : null,
        isOperator ? client.call("GET /operations/alarms", { signal }) : null,
      ]);
      const newest = [...events.result.events].sort((one, other) => other.receivedAt.localeCompare(one.receivedAt))[0] ?? null;
      return { apps: apps?.result.data ?? null, settings: settings.result, newest, events: events.result.events.length, hasMore: events.cursor !== null, address: address?.result.address ?? null, alarm: alarms?.result.alarms.find(({ name }) => name.endsWith(REJECTED)) ?? null };
    },
    [client, account.waba, isOperator],
  );
  const subscribe = useAction(async () => {
    await client.call("POST /whatsapp/actions/register_webhook", { body: { ...body, subscribedEvents: EVENTS } });
    showToast(t("hook.subscribed"));
    await found.reload();
  });
  const end = useAction(() => client.call("POST /whatsapp/actions/unregister_webhook", { body: { ...body, confirm: true } }));
  return (
    <>
      <Section title={t("hook.title")} about={t("hook.about")} resource={found}>
        {({ apps, settings, newest, events, hasMore, address, alarm }) => (
          <>
            <dl class="number-facts">
              <Fact name={t("hook.subscription")}>
                <Badge kind={apps?.length ? "good" : "plain"}>{t(apps === null ? "hook.unknown" : apps.length === 0 ? "hook.none" : address === null || isVerified(apps, address) ? "hook.active" : "hook.elsewhere")}</Badge>
              </Fact>
              <Fact name={t("hook.secrets")}>{t("hook.secrets.count", { secrets: settings.activeAppSecrets, tokens: settings.activeVerifyTokens })}</Fact>
              <Fact name={t("hook.message")}>{settings.lastMessageAt ? <Time at={settings.lastMessageAt} /> : t("hook.message.none")}</Fact>
              <Fact name={t("hook.last")}>
                {hasMore ? (
                  t("hook.last.many", { count: MOST_EVENTS })
                ) : newest ? (
                  <>
                    {t("hook.last.count", { count: events })} <Time at={newest.receivedAt} /> <span class="quiet">{newest.type.replaceAll("_", " ")}</span>
                  </>
                ) : (
                  t("hook.last.none")
                )}
              </Fact>
              {alarm && (
                <Fact name={t("hook.rejected")}>
                  <Badge kind={alarm.state === "ALARM" ? "danger" : "good"}>{named("hook.alarm", alarm.state)}</Badge> {alarm.state === "ALARM" && <a class="link" href={placeOf("operations", "overview")}>{t("hook.overview")}</a>}
                </Fact>
              )}
            </dl>
            {settings.activeAppSecrets === 0 && <p class="notice notice-warn">{t("hook.no_secret")}</p>}
            {subscribe.error && <ErrorNotice error={subscribe.error} onRetry={() => void subscribe.run()} />}
            <div class="ops-editor-end">
              <Button busy={subscribe.busy} onClick={() => void subscribe.run()}>
                {t("hook.subscribe")}
              </Button>
              {(apps?.length ?? 0) > 0 && <Button onClick={() => setEnding(true)}>{t("hook.end")}</Button>}
              <Signatures />
              <p>
                <a class="link" href={placeOf("operations", "parked")}>
                  {t("hook.parked")}
                </a>
              </p>
            </div>
          </>
        )}
      </Section>
      {isEnding && (
        <Confirm
          title={t("hook.end")}
          action={end}
          button={t("hook.end")}
          onClose={() => setEnding(false)}
          onDone={() => {
            setEnding(false);
            showToast(t("hook.ended"), async () => void (await subscribe.run()));
            void found.reload();
          }}
        >
          <p>{t("hook.effect.end")}</p>
        </Confirm>
      )}
    </>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// Signs a sample with each secret, and verifies it as the webhook does.
function Signatures() {
  const { client } = useApp();
  const [result, setResult] = useState<Actions.SelfTest | null>(null);
  const test = useAction(async () => setResult((await client.call("POST /whatsapp/actions/test_webhook_signature", { body: {} })).result));
  return (
    <>
      <Button busy={test.busy} onClick={() => void test.run()}>
        {t("hook.test")}
      </Button>
      {test.error && <ErrorNotice error={test.error} />}
      <span role="status">{result && t(result.passed ? "hook.test.passed" : "hook.test.failed")}</span>
    </>
  );
}
