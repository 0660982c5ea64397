// The prices of messages by which costs are estimated: a row of text for each country, as it is copied from a rate card.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { Section, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { countryName, dayOf, money } from "./money";
import { linesOf, pricesOf, textOf } from "./priceLines";

type Prices = Actions.PricesView;
const KINDS = ["marketing", "utility", "authentication", "service"] as const;
const FORM = "prices";

export function PricesPage() {
  const { client } = useApp();
  const [isEdited, setEdited] = useState(false);
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_message_prices", { body: {}, signal })).result, [client]);
  const tools = !isEdited && found.value && <Button onClick={() => setEdited(true)}>{t("campaign.prices.edit")}</Button>;
  return (
    <Section title={t("campaign.prices")} about={t("campaign.prices.about")} resource={found} tools={tools}>
      {(prices) => (
        <>
          <p class={prices.isOwn ? "quiet" : "notice"}>{t(prices.isOwn ? "campaign.cost.source" : "campaign.cost.unproven", { day: dayOf(prices.asOf), source: prices.source })}</p>
          {isEdited ? (
            <PricesForm
              prices={prices}
              onClose={() => setEdited(false)}
              onDone={() => {
                setEdited(false);
                void found.reload();
              }}
            />
          ) : (
            <Table
              label={t("campaign.prices")}
              rows={prices.prices}
              keyOf={({ country }) => country}
              empty={t("campaign.prices.none")}
              columns={[
                { name: t("campaign.prices.country"), cell: ({ country }) => countryName(country) },
                ...KINDS.map((kind) => ({
                  name: t(`campaign.prices.${kind}`),
                  isNumber: true,
                  cell: (row: Prices["prices"][number]) => priceOf(row[`${kind}Micros`], prices.currency),
                })),
              ]}
            />
          )}
        </>
      )}
    </Section>
  );
}

function priceOf(micros: number | null | undefined, currency: string): string {
  return typeof micros === "number" ? money(micros, currency) : t("campaign.cost.no_price");
}

interface Entered {
  currency: string;
  asOf: string;
  source: string;
  lines: string;
}

function PricesForm({ prices, onClose, onDone }: { prices: Prices; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const stored: Entered = prices.isOwn ? { currency: prices.currency, asOf: prices.asOf, source: prices.source, lines: textOf(prices.prices) } : { currency: "EUR", asOf: "", source: "", lines: "" };
  const state: Entered = { ...stored, ...(JSON.parse(draft.text || "{}") as Partial<Entered>) };
  const write = (changed: Partial<Entered>) => draft.write(JSON.stringify({ ...state, ...changed }));
  const read = linesOf(state.lines);
  const save = useAction(async () => {
    const body = { currency: state.currency.trim().toUpperCase(), asOf: state.asOf, source: state.source.trim(), prices: pricesOf(read) };
    await client.call("POST /whatsapp/actions/set_message_prices", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    onDone();
  });
  const wrong = read.filter(({ problem }) => problem);
  return (
    <form
      class="ops-editor campaign-form"
      aria-label={t("campaign.prices.edit")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <Field label={t("campaign.prices.currency")} name="currency" error={save.error}>
        <input value={state.currency} maxLength={3} required onInput={(event) => write({ currency: event.currentTarget.value })} />
      </Field>
      <Field label={t("campaign.prices.as_of")} name="asOf" error={save.error}>
        <input type="date" value={state.asOf} required onInput={(event) => write({ asOf: event.currentTarget.value })} />
      </Field>
      <Field label={t("campaign.prices.source")} name="source" error={save.error}>
        <input value={state.source} maxLength={200} required onInput={(event) => write({ source: event.currentTarget.value })} />
      </Field>
      <Field label={t("campaign.prices.lines")} name="prices" error={save.error}>
        <textarea rows={8} value={state.lines} placeholder={"DE; 0,1131; 0,0456"} dir="ltr" onInput={(event) => write({ lines: event.currentTarget.value })} />
      </Field>
      <p class="quiet">{t("campaign.prices.lines.about")}</p>
      {wrong.length > 0 && (
        <ul class="notice" role="status">
          {wrong.map(({ number, problem }) => (
            <li key={number}>{t(`campaign.prices.wrong.${problem!}`, { line: number })}</li>
          ))}
        </ul>
      )}
      {save.error && <ErrorNotice error={save.error} onRetry={() => void save.run()} fields={["currency", "asOf", "source"]} />}
      <div class="ops-editor-end">
        <Button kind="quiet" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" kind="primary" busy={save.busy} disabled={wrong.length > 0 || !state.asOf || !state.source.trim()}>
          {t("campaign.prices.save")}
        </Button>
      </div>
    </form>
  );
}
