// Meta's embedded sign-up: a person allows accounts in Meta's dialog, the server takes the code, and the numbers are connected.

import { useEffect, useRef, useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { Section, Time } from "../../operations/sections";
import { PAGE } from "../../session/config";
import { begin, takeReturned, type Returned } from "../../session/returned";
import { Copied } from "../../setup/Copied";
import { placeOf } from "../../shell/router";
import { t, type Key } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import { SignedUpNumbers } from "./SignedUpNumbers";
import "../../setup/setup.css";

type SignedUp = ConsoleOperations.SignedUp;

const APP = "sign-up-app"; // whose dialog was opened
const MOST_MS = 600_000; // the longest that a code may work: RFC 6749, section 4.1.2

export function SignUp({ onConnected }: { onConnected: () => void }) {
  const { client } = useApp();
  const { company } = useSession();
  const app = useDraft(APP);
  const [returned] = useState(takeReturned);
  const answer = new URLSearchParams(returned?.answer);
  const loss = returned && lossOf(returned, company);
  const code = loss ? null : answer.get("code");
  const [found, setFound] = useState<SignedUp | null>(null);
  const dialogs = useResource(async (signal) => (await client.call("GET /operations/whatsapp/sign-up", { signal })).result.dialogs, [client]);
  const accept = useAction(async () => {
    if (!code) return;
    setFound((await client.call("POST /operations/whatsapp/sign-up", { body: { app_id: app.text, code, redirect_uri: PAGE } })).result);
  });
  const isAsked = useRef(false); // a code works once
  useEffect(() => {
    if (isAsked.current || !code) return;
    isAsked.current = true;
    void accept.run();
  }, [code]);
  const open = (appId: string, address: string) => {
    app.write(appId);
    const state = begin(placeOf("operations", "accounts"), company);
    location.assign(`${address}&${new URLSearchParams({ redirect_uri: PAGE, state }).toString()}`);
  };
  const refusal = accept.error?.problemOf("code");
  return (
    <Section title={t("signup.title")} about={t("signup.about")} resource={dialogs}>
      {(offered) => (
        <>
          {accept.busy && <p role="status">{t("signup.exchanging")}</p>}
          {(loss ?? answer.has("error")) && (
            <p class="notice notice-warn" role="alert">
              {t(loss ?? "signup.refused")}
            </p>
          )}
          {refusal && (
            <p class="notice notice-error" role="alert">
              {t(refusal.includes("reach an account") ? "signup.no_account" : "signup.used")}
            </p>
          )}
          {accept.error && !refusal && <ErrorNotice error={accept.error} />}
          {found && <SignedUpNumbers appId={app.text} found={found} onConnected={onConnected} />}
          {found?.token_ends_at && (
            <p class="notice">
              {t("signup.ends")} <Time at={found.token_ends_at} />
            </p>
          )}
          <div class="ops-editor-end">
            {offered.map(({ app_id: id, address }) => (
              <Button key={id} kind="primary" onClick={() => open(id, address)}>
                {t("signup.open", { app: id })}
              </Button>
            ))}
          </div>
          <details open={offered.length === 0}>
            <summary>{t("signup.configure")}</summary>
            <Configuration onStored={dialogs.reload} />
          </details>
        </>
      )}
    </Section>
  );
}

// Why what the dialog gave back is not used: a code is exchanged only for the company in which the dialog was opened.
function lossOf(returned: Returned, company: string | null): Key | null {
  if (returned.company !== company) return "signup.other_company";
  return Date.now() - returned.at > MOST_MS ? "signup.used" : null;
}

const FIELDS = ["app_id", "app_secret", "config_id"];

function Configuration({ onStored }: { onStored: () => Promise<void> }) {
  const { client } = useApp();
  const app = useDraft("sign-up-configured");
  const config = useDraft("sign-up-configuration");
  const [secret, setSecret] = useState("");
  const store = useAction(async () => {
    await client.call("POST /operations/whatsapp/credentials", { body: { app_id: app.text, config_id: config.text, ...(secret && { app_secret: secret }) } });
    setSecret("");
    showToast(t("signup.configured"));
    await onStored();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("signup.configure")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <p class="quiet">{t("signup.configure.about")}</p>
      <Copied label={t("signup.return_address")} value={PAGE} />
      <Field label={t("setup.whatsapp.app_id")} name="app_id" error={store.error}>
        <input dir="ltr" inputMode="numeric" required pattern="[0-9]{5,20}" value={app.text} onInput={(event) => app.write(event.currentTarget.value.trim())} />
      </Field>
      <Field label={t("signup.config_id")} name="config_id" error={store.error}>
        <input dir="ltr" inputMode="numeric" required pattern="[0-9]{5,25}" value={config.text} onInput={(event) => config.write(event.currentTarget.value.trim())} />
      </Field>
      <Field label={t("signup.secret")} name="app_secret" error={store.error}>
        <input type="password" dir="ltr" autocomplete="off" value={secret} onInput={(event) => setSecret(event.currentTarget.value.trim())} />
      </Field>
      {store.error && <ErrorNotice error={store.error} fields={FIELDS} onRetry={() => void store.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" busy={store.busy}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}
