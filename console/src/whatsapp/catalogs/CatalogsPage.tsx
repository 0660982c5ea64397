// The catalogs of an account with their products, and what customers see of them at each number.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Confirm, count, Section, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button, MoreButton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { AccountChoice } from "../AccountChoice";
import { whereOffered } from "../offers";
import { CommerceSettings } from "./CommerceSettings";
import { ConnectForm } from "./ConnectForm";
import { Products } from "./Products";
import { UploadForm } from "./UploadForm";
import "../whatsapp.css";

type Catalog = Actions.ConnectedCatalog;

const PAGE = 25;
const MANAGER = "https://business.facebook.com/commerce/";

export function CatalogsPage() {
  return (
    <AccountChoice title="ops.part.catalogs" about="catalogs.about">
      {(account) => <Catalogs account={account} />}
    </AccountChoice>
  );
}

function Catalogs({ account }: { account: Account }) {
  const { client } = useApp();
  const [opened, setOpened] = useState<Catalog | null>(null);
  const [ending, setEnding] = useState<Catalog | null>(null);
  const [isOffered, setOffered] = useState(true);
  const catalogs = usePageList<Catalog>(
    async (cursor, signal) => {
      const body = { metaWabaId: account.waba, limit: PAGE, ...(cursor && { cursor }) };
      const answer = await whereOffered(client.call("POST /whatsapp/actions/get_connected_catalogs", { body, signal }));
      setOffered(answer !== null);
      return { items: answer?.result.catalogs ?? [], cursor: answer?.cursor ?? null };
    },
    [client, account.waba],
  );
  const end = useAction(async () => {
    if (ending) await client.call("POST /whatsapp/actions/disconnect_catalog", { body: { metaWabaId: account.waba, catalogId: ending.catalogId } });
  });
  const onEnded = () => {
    const catalogId = ending?.catalogId ?? "";
    setEnding(null);
    setOpened(null);
    showToast(t("catalogs.disconnected"), async () => {
      await client.call("POST /whatsapp/actions/connect_catalog", { body: { metaWabaId: account.waba, catalogId } });
      await catalogs.reload();
    });
    void catalogs.reload();
  };
  return (
    <>
      <Section title={t("catalogs.connected")} resource={catalogs.first}>
        {() =>
          isOffered ? (
            <>
              <Table
                label={t("catalogs.connected")}
                rows={catalogs.items}
                keyOf={({ catalogId }) => catalogId}
                empty={t("catalogs.none")}
                columns={[
                  { name: t("ops.name"), cell: ({ name, catalogId }) => <bdi>{name ?? catalogId}</bdi> },
                  { name: t("catalogs.products"), isNumber: true, cell: ({ productCount }) => count(productCount) },
                  {
                    name: t("ops.action"),
                    cell: (one) => (
                      <>
                        <Button label={t("catalogs.show_of", { name: one.name ?? one.catalogId })} pressed={opened?.catalogId === one.catalogId} onClick={() => setOpened(opened?.catalogId === one.catalogId ? null : one)}>
                          {t("catalogs.show")}
                        </Button>
                        <Button label={t("catalogs.disconnect_of", { name: one.name ?? one.catalogId })} onClick={() => setEnding(one)}>
                          {t("catalogs.disconnect")}
                        </Button>
                      </>
                    ),
                  },
                ]}
              />
              <MoreButton isOffered={catalogs.hasMore} next={catalogs.next} />
              <details open={catalogs.items.length === 0}>
                <summary>{t("catalogs.connect_one")}</summary>
                <ConnectForm waba={account.waba} onConnected={catalogs.reload} />
                <p class="quiet">
                  {t("catalogs.connect")}{" "}
                  <a class="link" href={MANAGER} target="_blank" rel="noreferrer">
                    {t("catalogs.manager")}
                  </a>
                </p>
              </details>
              <details>
                <summary>{t("catalogs.upload")}</summary>
                <UploadForm key={catalogs.items.map(({ catalogId }) => catalogId).join()} waba={account.waba} catalogs={catalogs.items} onUploaded={catalogs.reload} />
              </details>
            </>
          ) : (
            <p class="notice">{t("wa.needs_meta")}</p>
          )
        }
      </Section>
      {opened && <Products key={opened.catalogId} catalogId={opened.catalogId} name={opened.name ?? opened.catalogId} />}
      {isOffered && catalogs.first.value && account.numbers.map((number) => <CommerceSettings key={number.phone} phone={number.phone} name={number.displayText} />)}
      {ending && (
        <Confirm title={t("catalogs.disconnect_of", { name: ending.name ?? ending.catalogId })} action={end} button={t("catalogs.disconnect")} onClose={() => setEnding(null)} onDone={onEnded}>
          <p>{t("catalogs.effect.disconnect")}</p>
        </Confirm>
      )}
    </>
  );
}
