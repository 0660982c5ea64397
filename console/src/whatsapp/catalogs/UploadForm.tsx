// Products of a file for a catalog: read here, shown with what is wrong in which row, then sent to Meta.

import { useRef, useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { count, Table } from "../../operations/sections";
import { Copied } from "../../setup/Copied";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { priceOf } from "./price";
import { COLUMNS, MOST_PRODUCTS, productsIn, type Read } from "./productRows";
import "../../setup/setup.css";

type Catalog = Actions.ConnectedCatalog;
type Result = Actions.UploadedCatalog;

const SHOWN = 5; // products and problems of the preview
const NEW = "";

export function UploadForm({ waba, catalogs, onUploaded }: { waba: string; catalogs: Catalog[]; onUploaded: () => Promise<unknown> }) {
  const { client } = useApp();
  const [target, setTarget] = useState(catalogs[0]?.catalogId ?? NEW);
  const name = useDraft(`new-catalog-${waba}`);
  const business = useDraft(`business-${waba}`);
  const keys = useDraft(`products-${waba}`);
  const [read, setRead] = useState<Read | null>(null);
  const [result, setResult] = useState<Result | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const products = read && "products" in read ? read.products : [];
  const isWrong = read !== null && (!("products" in read) || read.problems.length > 0 || products.length === 0 || products.length > MOST_PRODUCTS);
  const send = useAction(async () => {
    const named = target === NEW ? { catalogName: name.text.trim(), businessId: business.text.trim() } : { catalogId: target };
    const body = { metaWabaId: waba, ...named, products };
    setResult((await client.call("POST /whatsapp/actions/upload_catalog", { body, key: keys.keyFor(body) })).result);
    keys.sent("");
    setRead(null);
    if (input.current) input.current.value = "";
    await onUploaded();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("catalogs.upload")}
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <p class="quiet">{t("catalogs.upload.about", { most: count(MOST_PRODUCTS) })}</p>
      <Copied label={t("catalogs.upload.heading")} value={COLUMNS.join(",")} />
      <label class="field">
        <span class="field-label">{t("catalogs.upload.target")}</span>
        <select value={target} onChange={(event) => setTarget(event.currentTarget.value)}>
          {catalogs.map((one) => (
            <option key={one.catalogId} value={one.catalogId}>
              {one.name ?? one.catalogId}
            </option>
          ))}
          <option value={NEW}>{t("catalogs.upload.new")}</option>
        </select>
      </label>
      {target === NEW && (
        <>
          <Field label={t("catalogs.upload.name")} name="catalogName" error={send.error}>
            <input required maxLength={100} dir="auto" value={name.text} onInput={(event) => name.write(event.currentTarget.value)} />
          </Field>
          <Field label={t("catalogs.upload.business")} name="businessId" error={send.error}>
            <input required dir="ltr" inputMode="numeric" pattern="[0-9]{5,25}" value={business.text} onInput={(event) => business.write(event.currentTarget.value)} />
          </Field>
        </>
      )}
      <label class="field">
        <span class="field-label">{t("catalogs.upload.file")}</span>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          aria-invalid={isWrong}
          onChange={(event) => {
            setResult(null);
            void event.currentTarget.files?.[0]?.text().then((text) => setRead(productsIn(text)));
          }}
        />
      </label>
      {read && <Preview read={read} />}
      {send.error && <ErrorNotice error={send.error} fields={["catalogName", "businessId"]} onRetry={() => void send.run()} />}
      {result && <Uploaded result={result} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={send.busy} disabled={!read || isWrong}>
          {t("catalogs.upload.send", { count: count(products.length) })}
        </Button>
      </div>
    </form>
  );
}

function Preview({ read }: { read: Read }) {
  if ("lacks" in read) return <Problem>{t("catalogs.upload.lacks", { columns: read.lacks.join(", ") })}</Problem>;
  if ("openAt" in read) return <Problem>{t("catalogs.upload.open", { row: read.openAt })}</Problem>;
  const { products, problems } = read;
  if (products.length > MOST_PRODUCTS) return <Problem>{t("catalogs.upload.too_many", { most: count(MOST_PRODUCTS) })}</Problem>;
  if (products.length + problems.length === 0) return <Problem>{t("catalogs.upload.empty")}</Problem>;
  return (
    <>
      {problems.length > 0 && (
        <div class="field-problem" role="alert">
          <ul class="wa-problems">
            {problems.slice(0, SHOWN).map(({ row, column, problem }) => (
              <li key={`${row} ${column} ${problem}`}>
                {t("catalogs.upload.row", { row })} <code dir="ltr">{column}</code>: {t(`catalogs.upload.problem.${problem}`)}
              </li>
            ))}
            {problems.length > SHOWN && <li>{t("catalogs.upload.further", { count: count(problems.length - SHOWN) })}</li>}
          </ul>
        </div>
      )}
      <Table
        label={t("catalogs.upload.preview")}
        rows={products.slice(0, SHOWN)}
        keyOf={({ retailerId }) => retailerId}
        empty={t("catalogs.upload.empty")}
        columns={[
          { name: t("ops.name"), cell: (one) => <bdi>{one.name}</bdi> },
          { name: t("catalogs.price"), isNumber: true, cell: (one) => priceOf(one.price, one.currency) ?? t("ops.unknown") },
          { name: t("catalogs.availability"), cell: (one) => t(`catalogs.availability.${one.availability ?? "in_stock"}`) },
        ]}
      />
      <p role="status">{t("catalogs.upload.read", { count: count(products.length) })}</p>
    </>
  );
}

function Problem({ children }: { children: string }) {
  return (
    <p class="field-problem" role="alert">
      {children}
    </p>
  );
}

function Uploaded({ result }: { result: Result }) {
  return (
    <div role="status">
      <p>{t("catalogs.upload.done", { accepted: count(result.accepted), refused: count(result.refusedCount) })}</p>
      {result.refused && result.refused.length > 0 && (
        <ul class="wa-problems">
          {result.refused.map((one) => (
            <li key={one.retailerId}>
              <code dir="ltr">{one.retailerId}</code>: <bdi>{one.problems.join(" ")}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
