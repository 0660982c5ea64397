// Accounts of WhatsApp that are linked at AWS: an operator gives one to the company, and connects its numbers.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { Confirm, Section, Table } from "../../operations/sections";
import { t, type Key } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { Icon } from "../../ui/icons";

type Account = ConsoleOperations.AwsAccount;
type Linked = ConsoleOperations.LinkedAwsAccount;

const CONSOLE = "https://console.aws.amazon.com/social-messaging/home";

export function AwsAccounts({ onConnected }: { onConnected: () => void }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<Account | null>(null);
  const [linked, setLinked] = useState<Linked | null>(null);
  const found = useResource(async (signal) => (await client.call("GET /operations/whatsapp/aws-accounts", { signal })).result, [client]);
  const link = useAction(async () => {
    if (!asked) return;
    setLinked((await client.call("POST /operations/whatsapp/aws-accounts", { body: { account_id: asked.account_id } })).result);
    await found.reload();
  });
  const nameOf = ({ name, account_id: id }: Account | Linked) => name || id;
  return (
    <Section title={t("aws.title")} about={t("aws.about")} resource={found}>
      {({ accounts, is_complete: isComplete }) => (
        <>
          {!isComplete && <p class="quiet">{t("aws.incomplete")}</p>}
          <Table
            label={t("aws.title")}
            rows={accounts}
            keyOf={({ account_id: id }) => id}
            empty={t("aws.none")}
            columns={[
              { name: t("ops.name"), cell: (one) => <bdi>{nameOf(one)}</bdi> },
              { name: t("aws.id"), cell: ({ account_id: id }) => <code dir="ltr">{id}</code> },
              { name: t("ops.state"), cell: (one) => <Badge kind={one.is_own ? "good" : "plain"}>{t(!one.is_registered ? "aws.unregistered" : one.is_own ? "aws.own" : "aws.free")}</Badge> },
              {
                name: t("ops.action"),
                cell: (one) => (
                  <Button disabled={!one.is_registered} label={t(one.is_own ? "aws.numbers_of" : "aws.link_of", { name: nameOf(one) })} onClick={() => setAsked(one)}>
                    {t(one.is_own ? "aws.numbers" : "aws.link")}
                  </Button>
                ),
              },
            ]}
          />
          <p class="quiet">
            {t("aws.begin")}{" "}
            <a class="link" href={CONSOLE} target="_blank" rel="noreferrer">
              {t("aws.console")}
            </a>
          </p>
          {linked && <Numbers account={linked} onConnected={onConnected} />}
          {asked && (
            <Confirm title={t(asked.is_own ? "aws.numbers_of" : "aws.link_of", { name: nameOf(asked) })} action={link} button={t(asked.is_own ? "aws.numbers" : "aws.link")} onClose={() => setAsked(null)} onDone={() => setAsked(null)}>
              <p>{t(asked.is_own ? "aws.effect.own" : "aws.effect")}</p>
            </Confirm>
          )}
        </>
      )}
    </Section>
  );
}

function Numbers({ account, onConnected }: { account: Linked; onConnected: () => void }) {
  return (
    <div role="group" aria-label={t("signup.numbers")}>
      <h3>{t("signup.numbers")}</h3>
      {account.numbers.length === 0 && <p class="ops-empty">{t("signup.no_numbers")}</p>}
      {account.numbers.map((number) => (
        <Row key={number.arn} account={account} number={number} onConnected={onConnected} />
      ))}
    </div>
  );
}

// Each step can be repeated: after a failure both are made again.
function Row({ account, number, onConnected }: { account: Linked; number: Linked["numbers"][number]; onConnected: () => void }) {
  const { client } = useApp();
  const { company } = useSession();
  const [step, setStep] = useState<Key | null>(null);
  const [isDone, setDone] = useState(false);
  const connect = useAction(async () => {
    setStep("setup.whatsapp.registering");
    await client.call("POST /whatsapp/actions/save_phone", {
      body: {
        phone: number.phone,
        metaWabaId: account.meta_id,
        awsWabaId: account.account_id,
        phoneArn: number.arn,
        tenantId: company ?? "",
        provider: "eum",
        displayPhoneNumber: `+${number.display.replace(/\D/g, "")}`,
      },
    });
    setStep("aws.sending_events");
    const body = { metaWabaId: account.meta_id };
    const { ownTopic } = (await client.call("POST /whatsapp/actions/get_event_destinations", { body })).result;
    // Without a topic of its own the deployment reads no events of AWS, which the section of the account says.
    if (ownTopic) await client.call("POST /whatsapp/actions/create_event_destination", { body: { ...body, snsTopicArn: ownTopic } });
    setStep(null);
    setDone(true);
    onConnected();
  });
  return (
    <div class="setup-number" role="group" aria-label={number.display}>
      <p>
        <bdi dir="ltr">{number.display}</bdi> {number.name && <bdi>{number.name}</bdi>}
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
          {connect.error.code === "state_conflict" ? <p class="notice notice-warn" role="alert">{t("aws.other_destination")}</p> : <ErrorNotice error={connect.error} onRetry={() => void connect.run()} />}
        </>
      )}
      {!isDone && (
        <Button busy={connect.busy} label={t("signup.connect_of", { number: number.display })} onClick={() => void connect.run()}>
          {t("signup.connect")}
        </Button>
      )}
    </div>
  );
}
