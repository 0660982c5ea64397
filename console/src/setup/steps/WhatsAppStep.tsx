// A number of WhatsApp by Meta's tokens: credentials, the number, and the webhook, with a look at what Meta has verified.

import { useState } from "preact/hooks";
import { ApiError } from "../../api/errors";
import { POLL_MS, useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { t, type Key } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { Copied } from "../Copied";
import { digitsOf, isVerified } from "./entered";
import type { StepProps } from "../Setup";
import { shownNumber } from "./TestStep";

const EVENTS = ["messages", "smb_message_echoes", "message_template_status_update"];
const META = "https://developers.facebook.com/apps/";
const IDS = [
  { name: "appId", field: "app_id", text: "setup.whatsapp.app_id", pattern: "[0-9]{5,20}" },
  { name: "accountId", field: "metaWabaId", text: "setup.whatsapp.account_id", pattern: "[0-9]{5,25}" },
  { name: "phoneId", field: "phone", text: "setup.whatsapp.phone_id", pattern: "[0-9]{5,20}" },
] as const;
const FIELDS = [...IDS.map(({ field }) => field), "displayPhoneNumber", "app_secret", "access_token"] as string[];

// A function that has just read the secrets does so again after some seconds only.
const READ_AGAIN_MS = 6_000;

async function onceStored<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "not_configured") throw error;
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
    return act();
  }
}

export function WhatsAppStep({ entered, onEnter, onDone, phones, isOperator }: StepProps & { phones: Actions.PhoneView[]; isOperator: boolean }) {
  const { client } = useApp();
  const session = useSession();
  const [secret, setSecret] = useState("");
  const [token, setToken] = useState("");
  const [doing, setDoing] = useState<Key | null>(null);
  const digits = digitsOf(entered.number);
  const connect = useAction(async () => {
    const { appId, accountId, phoneId } = entered;
    const name = session.company ?? "";
    setDoing("setup.whatsapp.storing");
    await client.call("POST /operations/whatsapp/credentials", { body: { app_id: appId, ...(secret && { app_secret: secret }), ...(token && { access_token: token }) } });
    setDoing("setup.whatsapp.registering");
    await client.call("POST /whatsapp/actions/save_phone", {
      body: { phone: phoneId, metaWabaId: accountId, tenantId: name, provider: "graph", displayPhoneNumber: `+${digits ?? ""}`, graphTokenSecret: name, appId },
    });
    setDoing("setup.whatsapp.subscribing");
    await onceStored(() => client.call("POST /whatsapp/actions/register_webhook", { body: { metaWabaId: accountId, subscribedEvents: EVENTS } }));
    setSecret("");
    setToken("");
    setDoing(null);
    await onDone();
  });
  if (!isOperator) return <p>{t("setup.whatsapp.operators")}</p>;
  return (
    <>
      {phones.map((phone) => (
        <Webhook key={phone.phoneNumberId} phone={phone} />
      ))}
      <form
        class="ops-editor"
        aria-label={t("setup.step.whatsapp")}
        onSubmit={(event) => {
          event.preventDefault();
          void connect.run();
        }}
      >
        <p>
          {t("setup.whatsapp.about")}{" "}
          <a class="link" href={META} target="_blank" rel="noreferrer">
            {t("setup.whatsapp.meta")}
          </a>
        </p>
        {IDS.map(({ name, field, text, pattern }) => (
          <Field key={name} label={t(text)} name={field} error={connect.error}>
            <input dir="ltr" inputMode="numeric" required pattern={pattern} value={entered[name]} onInput={(event) => onEnter({ [name]: event.currentTarget.value.trim() })} />
          </Field>
        ))}
        <Field label={t("setup.whatsapp.number")} name="displayPhoneNumber" error={connect.error}>
          <input type="tel" dir="ltr" required placeholder="+1 555 078 3881" value={entered.number} onInput={(event) => onEnter({ number: event.currentTarget.value })} />
        </Field>
        {entered.number !== "" && digits === null && <p class="field-problem">{t("setup.whatsapp.no_number")}</p>}
        <Field label={t("setup.whatsapp.secret")} name="app_secret" error={connect.error}>
          <input type="password" dir="ltr" autocomplete="off" required={phones.length === 0} value={secret} onInput={(event) => setSecret(event.currentTarget.value.trim())} />
        </Field>
        <Field label={t("setup.whatsapp.token")} name="access_token" error={connect.error}>
          <input type="password" dir="ltr" autocomplete="off" required={phones.length === 0} value={token} onInput={(event) => setToken(event.currentTarget.value.trim())} />
        </Field>
        <p class="quiet">{t("setup.whatsapp.hidden")}</p>
        <p role="status">{connect.busy && doing && t(doing)}</p>
        {connect.error && <ErrorNotice error={connect.error} fields={FIELDS} onRetry={() => void connect.run()} />}
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={connect.busy} disabled={digits === null}>
            {t("setup.whatsapp.connect")}
          </Button>
        </div>
      </form>
    </>
  );
}

function Webhook({ phone }: { phone: Actions.PhoneView }) {
  const { client } = useApp();
  const webhook = useResource(async (signal) => (await client.call("GET /operations/whatsapp/webhook", { signal })).result, [client]);
  const apps = useResource(
    async (signal) => (await client.call("POST /whatsapp/actions/get_webhook_subscriptions", { body: { metaWabaId: phone.metaWabaId }, signal })).result.data ?? [],
    [client, phone.metaWabaId],
    POLL_MS,
  );
  const verified = webhook.value !== null && isVerified(apps.value, webhook.value.address);
  return (
    <div class="setup-number" role="group" aria-label={shownNumber(phone)}>
      <h3 dir="ltr">{shownNumber(phone)}</h3>
      <p role="status">
        <Icon name={verified ? "check" : "clock"} size={16} /> {t(verified ? "setup.whatsapp.verified" : "setup.whatsapp.waiting")}
      </p>
      {apps.error && <ErrorNotice error={apps.error} onRetry={() => void apps.reload()} />}
      <details>
        <summary>{t("setup.whatsapp.by_hand")}</summary>
        <p class="quiet">{t("setup.whatsapp.by_hand_text")}</p>
        {webhook.value && <Copied label={t("setup.whatsapp.address")} value={webhook.value.address} />}
        {webhook.value?.verify_token && <Copied label={t("setup.whatsapp.verify_token")} value={webhook.value.verify_token} isSecret />}
        {webhook.error && <ErrorNotice error={webhook.error} onRetry={() => void webhook.reload()} />}
      </details>
    </div>
  );
}
