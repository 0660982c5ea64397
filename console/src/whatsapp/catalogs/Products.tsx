// The products of a catalog, as they are stored here, and again from Meta when a person asks for it.

import { useRef } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { Section, Table, Time } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Badge, Button, MoreButton } from "../../ui/controls";
import { priceOf } from "./price";

type Product = Actions.ProductView;

const PAGE = 50;

export function Products({ catalogId, name }: { catalogId: string; name: string }) {
  const { client } = useApp();
  const asksMeta = useRef(false);
  const synced = useRef<string | null>(null);
  const products = usePageList<Product>(
    async (cursor, signal) => {
      const body = { catalogId, limit: PAGE, ...(cursor ? { cursor } : { refresh: asksMeta.current }) };
      const answer = await client.call("POST /whatsapp/actions/get_catalog_products", { body, signal });
      asksMeta.current = false;
      synced.current = answer.result.syncedAt ?? null;
      return { items: answer.result.products, cursor: answer.cursor };
    },
    [client, catalogId],
  );
  const refresh = () => {
    asksMeta.current = true;
    void products.reload();
  };
  return (
    <Section
      title={t("catalogs.products_of", { name })}
      resource={products.first}
      tools={
        <Button busy={products.first.loading} onClick={refresh}>
          {t("catalogs.refresh")}
        </Button>
      }
    >
      {() => (
        <>
          <p class="quiet">
            {t("catalogs.synced")} <Time at={synced.current} />
          </p>
          <Table
            label={t("catalogs.products_of", { name })}
            rows={products.items}
            keyOf={({ retailerId }) => retailerId}
            empty={t(synced.current ? "catalogs.no_products" : "catalogs.not_read")}
            columns={[
              { name: t("catalogs.picture"), cell: ({ imageUrl }) => imageUrl && <img class="wa-picture" src={imageUrl} alt="" width={48} height={48} loading="lazy" referrerpolicy="no-referrer" /> },
              { name: t("ops.name"), cell: (one) => <Name product={one} /> },
              { name: t("catalogs.price"), isNumber: true, cell: ({ price, currency }) => priceOf(price, currency) ?? t("ops.unknown") },
              {
                name: t("catalogs.availability"),
                cell: ({ availability }) => (availability ? <Badge kind={availability === "in_stock" ? "good" : "plain"}>{t(`catalogs.availability.${availability}`)}</Badge> : t("ops.unknown")),
              },
              { name: t("catalogs.category"), cell: ({ category }) => category && <bdi>{category}</bdi> },
            ]}
          />
          <MoreButton isOffered={products.hasMore} next={products.next} />
        </>
      )}
    </Section>
  );
}

function Name({ product: { name, retailerId, url } }: { product: Product }) {
  const shown = name ?? retailerId;
  return (
    <>
      {url?.startsWith("https://") ? (
        <a class="link" dir="auto" href={url} target="_blank" rel="noreferrer">
          {shown}
        </a>
      ) : (
        <bdi>{shown}</bdi>
      )}{" "}
      <code dir="ltr">{retailerId}</code>
    </>
  );
}
