// The configurations of payments of an account: at which gateway or UPI address customers pay, and whether they may.

import { useRef, useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Confirm, Section, Table, Time } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, MoreButton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { AccountChoice } from "../AccountChoice";
import { hasPayments, whereOffered } from "../offers";
import { ConfigurationForm, GatewayLink } from "./ConfigurationForm";
import "../whatsapp.css";

type Configuration = Actions.ConfigView;

const PAGE = 50;

export function PaymentsPage() {
  return (
    <AccountChoice title="ops.part.payments" about="payments.about">
      {(account) => (hasPayments(account) ? <Configurations account={account} /> : <p class="notice">{t("payments.india_only")}</p>)}
    </AccountChoice>
  );
}

function Configurations({ account }: { account: Account }) {
  const { client } = useApp();
  const [isOffered, setOffered] = useState(true);
  const [ending, setEnding] = useState<Configuration | null>(null);
  const asksMeta = useRef(false);
  const list = usePageList<Configuration>(
    async (cursor, signal) => {
      const body = { metaWabaId: account.waba, limit: PAGE, refresh: cursor === null && asksMeta.current, ...(cursor && { cursor }) };
      const answer = await whereOffered(client.call("POST /whatsapp/actions/get_payment_configurations", { body, signal }));
      asksMeta.current = false;
      setOffered(answer !== null);
      return { items: answer?.result.configurations ?? [], cursor: answer?.cursor ?? null };
    },
    [client, account.waba],
  );
  const end = useAction(async () => {
    if (ending) await client.call("POST /whatsapp/actions/delete_payment_configuration", { body: { metaWabaId: account.waba, configName: ending.configName } });
  });
  const refresh = () => {
    asksMeta.current = true;
    void list.reload();
  };
  const onEnded = () => {
    setEnding(null);
    showToast(t("payments.deleted"));
    void list.reload();
  };
  const tools = (
    <Button busy={list.first.loading} onClick={refresh}>
      {t("catalogs.refresh")}
    </Button>
  );
  return (
    <>
      <Section title={t("payments.list")} about={t("payments.list.about")} resource={list.first} tools={tools}>
        {() =>
          isOffered ? (
            <>
              <Table
                label={t("payments.list")}
                rows={list.items}
                keyOf={({ tenantId, configName }) => `${tenantId} ${configName}`}
                empty={t("payments.none")}
                columns={[
                  { name: t("ops.name"), cell: ({ configName }) => <bdi>{configName}</bdi> },
                  { name: t("ops.state"), cell: (one) => <State configuration={one} /> },
                  { name: t("payments.method"), cell: ({ type, providerName, upiId }) => <bdi>{type === "UPI" ? (upiId ?? "UPI") : (providerName ?? t("ops.unknown"))}</bdi> },
                  { name: t("payments.codes"), cell: ({ mcc, purposeCode }) => [mcc, purposeCode].filter(Boolean).join(" / ") },
                  { name: t("ops.action"), cell: (one) => <Buttons account={account} configuration={one} onChange={list.reload} onEnd={() => setEnding(one)} /> },
                ]}
              />
              <MoreButton isOffered={list.hasMore} next={list.next} />
            </>
          ) : (
            <p class="notice">{t("wa.needs_meta")}</p>
          )
        }
      </Section>
      {isOffered && list.first.value && <ConfigurationForm account={account} onCreated={list.reload} />}
      {ending && (
        <Confirm title={t("payments.delete_of", { name: ending.configName })} action={end} button={t("payments.delete")} onClose={() => setEnding(null)} onDone={onEnded}>
          <p>{t("payments.effect.delete")}</p>
        </Confirm>
      )}
    </>
  );
}

function State({ configuration: { status, statusRaw, lastValidatedAt, problems } }: { configuration: Configuration }) {
  return (
    <>
      <Badge kind={status === "active" ? "good" : "plain"}>{status ? named("payments.status", status) : t("ops.unknown")}</Badge>
      {statusRaw && <span class="quiet"> {t("payments.raw", { word: statusRaw })}</span>}
      {lastValidatedAt && (
        <p class="quiet">
          {t("payments.checked")} <Time at={lastValidatedAt} />
        </p>
      )}
      {(problems ?? []).map((one) => (
        <p key={one} class="field-problem">
          {one}
        </p>
      ))}
    </>
  );
}

function Buttons({ account, configuration, onChange, onEnd }: { account: Account; configuration: Configuration; onChange: () => Promise<void>; onEnd: () => void }) {
  const { client } = useApp();
  const [link, setLink] = useState<string | null>(null);
  const { configName, tenantId, status, type } = configuration;
  const body = { metaWabaId: account.waba, configName };
  const verify = useAction(async () => {
    await client.call("POST /whatsapp/actions/verify_payment_configuration", { body });
    await onChange();
  });
  const connect = useAction(async () => {
    setLink((await client.call("POST /whatsapp/actions/get_payment_oauth_link", { body })).result.oauthUrl ?? null);
  });
  const choose = useAction(async () => {
    await client.call("POST /whatsapp/actions/set_default_payment_configuration", { body: { tenantId, configName } });
    showToast(t("payments.default_set", { name: configName }));
    await onChange();
  });
  const error = verify.error ?? connect.error ?? choose.error;
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <Button busy={verify.busy} label={t("payments.verify_of", { name: configName })} onClick={() => void verify.run()}>
        {t("payments.verify")}
      </Button>
      {status === "active" ? (
        <Button busy={choose.busy} label={t("payments.default_of", { name: configName })} onClick={() => void choose.run()}>
          {t("payments.default")}
        </Button>
      ) : (
        type !== "UPI" && (
          <Button busy={connect.busy} label={t("payments.connect_of", { name: configName })} onClick={() => void connect.run()}>
            {t("payments.connect")}
          </Button>
        )
      )}
      <Button label={t("payments.delete_of", { name: configName })} onClick={onEnd}>
        {t("payments.delete")}
      </Button>
      {link && <GatewayLink url={link} />}
    </>
  );
}
