// A new configuration: of a gateway, which a person then connects at the gateway, or of a UPI address.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { t, type Key } from "../../texts/texts";
import { Button, Choices, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";

type Gateway = NonNullable<Actions.MetaPaymentOnboarding["paymentGateway"]>;

const GATEWAYS = ["razorpay", "payu", "billdesk", "zaakpay"] as const satisfies readonly Gateway[];
const METHODS = ["gateway", "upi"] as const;
const FIELDS = ["configName", "paymentGateway", "merchantId", "upiId", "mcc", "purposeCode"];

interface Entered {
  name: string;
  method: (typeof METHODS)[number];
  gateway: Gateway;
  merchant: string;
  upi: string;
  mcc: string;
  purpose: string;
}

const EMPTY: Entered = { name: "", method: "gateway", gateway: "razorpay", merchant: "", upi: "", mcc: "", purpose: "" };

function kept(text: string): Entered {
  try {
    return { ...EMPTY, ...(JSON.parse(text || "{}") as Partial<Entered>) };
  } catch {
    return EMPTY; // of another version of the page
  }
}

function bodyOf(waba: string, { name, method, gateway, merchant, upi, mcc, purpose }: Entered): Actions.MetaPaymentOnboarding {
  const paidAt = method === "upi" ? { upiId: upi } : { paymentGateway: gateway, ...(merchant && { merchantId: merchant }) };
  return { metaWabaId: waba, configName: name, mcc, purposeCode: purpose, ...paidAt };
}

export function ConfigurationForm({ account, onCreated }: { account: Account; onCreated: () => Promise<void> }) {
  const { client } = useApp();
  const draft = useDraft(`payments-${account.waba}`);
  const [link, setLink] = useState<string | null>(null);
  const state = kept(draft.text);
  const write = (part: Partial<Entered>) => draft.write(JSON.stringify({ ...state, ...part }));
  const create = useAction(async () => {
    const body = bodyOf(account.waba, state);
    const { result } = await client.call("POST /whatsapp/actions/meta_payment_onboarding", { body, key: draft.keyFor(body) });
    const made: string | undefined = result.configName; // none if the provider's answer was lost
    draft.sent(draft.text);
    setLink(result.oauthUrl ?? null);
    showToast(t(made ? "payments.created" : "payments.in_doubt"));
    await onCreated();
  });
  const input = (name: keyof Entered, label: Key, field: string, more: { maxLength: number; pattern: string; placeholder?: string; required?: boolean }) => (
    <Field label={t(label)} name={field} error={create.error}>
      <input dir="ltr" required {...more} value={state[name]} onInput={(event) => write({ [name]: event.currentTarget.value.trim() })} />
    </Field>
  );
  return (
    <section class="ops-section" aria-label={t("payments.new")}>
      <h2>{t("payments.new")}</h2>
      <form
        class="ops-editor"
        aria-label={t("payments.new")}
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        {input("name", "payments.name", "configName", { maxLength: 60, pattern: "[A-Za-z0-9_\\-]{1,60}" })}
        <Choices legend={t("payments.method")} name={`method-${account.waba}`} values={METHODS} textOf={(one) => t(`payments.method.${one}`)} chosen={state.method} onChoose={(method) => write({ method })} />
        {state.method === "gateway" && (
          <>
            <Field label={t("payments.gateway")} name="paymentGateway" error={create.error}>
              <select value={state.gateway} onChange={(event) => write({ gateway: event.currentTarget.value as Gateway })}>
                {GATEWAYS.map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </Field>
            {input("merchant", "payments.merchant", "merchantId", { maxLength: 64, pattern: ".*", required: false })}
          </>
        )}
        {state.method === "upi" && input("upi", "payments.upi", "upiId", { maxLength: 320, pattern: "[A-Za-z0-9._\\-]{2,256}@[A-Za-z]{2,64}", placeholder: "shop@icici" })}
        {input("mcc", "payments.mcc", "mcc", { maxLength: 4, pattern: "[0-9]{4}", placeholder: "4722" })}
        {input("purpose", "payments.purpose", "purposeCode", { maxLength: 5, pattern: "[0-9A-Za-z]{2,5}", placeholder: "03" })}
        {create.error && <ErrorNotice error={create.error} fields={FIELDS} onRetry={() => void create.run()} />}
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={create.busy}>
            {t("payments.create")}
          </Button>
        </div>
        {link && <GatewayLink url={link} />}
      </form>
    </section>
  );
}

export function GatewayLink({ url }: { url: string }) {
  return (
    <p role="status">
      <a class="link" href={url} target="_blank" rel="noreferrer">
        {t("payments.link")}
      </a>{" "}
      <span class="quiet">{t("payments.link.about")}</span>
    </p>
  );
}
