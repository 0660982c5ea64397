// The numbers that a sign-up has reached: each is stored here, registered at Meta, and its account's events are asked for.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { t, type Key } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { EVENTS } from "./Webhook";

type Account = ConsoleOperations.SignedUpAccount;

export function SignedUpNumbers({ appId, found, onConnected }: { appId: string; found: ConsoleOperations.SignedUp; onConnected: () => void }) {
  return (
    <div role="group" aria-label={t("signup.numbers")}>
      <h3>{t("signup.numbers")}</h3>
      {found.accounts.flatMap((account) => account.numbers.map((number) => <Row key={number.phone} appId={appId} account={account} number={number} onConnected={onConnected} />))}
      {found.accounts
        .filter(({ problem }) => problem)
        .map((account) => (
          <p key={account.account_id} class="notice notice-warn" role="alert">
            {t(account.problem === "refused" ? "signup.numbers_refused" : "signup.numbers_unread", { account: account.account_id })}
          </p>
        ))}
      {found.accounts.every(({ numbers, problem }) => numbers.length === 0 && !problem) && <p class="ops-empty">{t("signup.no_numbers")}</p>}
    </div>
  );
}

// Each step can be repeated: after a failure all of them are made again.
function Row({ appId, account, number, onConnected }: { appId: string; account: Account; number: Account["numbers"][number]; onConnected: () => void }) {
  const { client } = useApp();
  const session = useSession();
  const [step, setStep] = useState<Key | null>(null);
  const [isDone, setDone] = useState(false);
  const { phone, display, name } = number;
  const connect = useAction(async () => {
    setStep("setup.whatsapp.registering");
    await client.call("POST /whatsapp/actions/save_phone", {
      body: {
        phone,
        metaWabaId: account.account_id,
        tenantId: session.company ?? "",
        provider: "graph",
        displayPhoneNumber: `+${display.replace(/\D/g, "")}`,
        graphTokenSecret: account.token_name,
        appId,
      },
    });
    setStep("signup.at_meta");
    await client.call("POST /whatsapp/actions/register_phone", { body: { phone } });
    setStep("setup.whatsapp.subscribing");
    await client.call("POST /whatsapp/actions/register_webhook", { body: { metaWabaId: account.account_id, subscribedEvents: EVENTS } });
    setStep(null);
    setDone(true);
    onConnected();
  });
  return (
    <div class="setup-number" role="group" aria-label={display}>
      <p>
        <bdi dir="ltr">{display}</bdi> {name && <bdi>{name}</bdi>}
      </p>
      <p role="status">
        {connect.busy && step && t(step)}
        {isDone && (
          <>
            <Icon name="check" size={16} /> {t("signup.connected")}
          </>
        )}
      </p>
      {connect.error && (
        <>
          {step && <p>{t("signup.failed_at", { step: t(step) })}</p>}
          <ErrorNotice error={connect.error} onRetry={() => void connect.run()} />
        </>
      )}
      {!isDone && (
        <Button busy={connect.busy} label={t("signup.connect_of", { number: display })} onClick={() => void connect.run()}>
          {t("signup.connect")}
        </Button>
      )}
    </div>
  );
}
