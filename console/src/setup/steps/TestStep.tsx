// The first message: it arrives, sending is turned on, and it is answered.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { Actions, ConsoleApi, ConsoleOperations } from "../../api/routes";
import { useApp } from "../../app";
import { forgetKey, keyOf } from "../../conversations/drafts";
import { LiveChange, openOf } from "../../operations/switches/LiveChange";
import { placeOf } from "../../shell/router";
import { isolated, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import type { StepProps } from "../Setup";

export function shownNumber(phone: Actions.PhoneView): string {
  return phone.displayText ?? phone.displayPhoneNumber;
}

const FORM = "setup-answer";
const OFTEN_MS = 4_000;

export function TestStep({ entered, onEnter, onDone, phones, company, isOperator }: StepProps & {
  phones: Actions.PhoneView[];
  company: ConsoleOperations.CompanyView | null;
  isOperator: boolean;
}) {
  const { client } = useApp();
  const rows = useResource(
    async (signal) => (await client.call("GET /inbox", { query: { context: "whatsapp", limit: 1 }, signal })).result.conversations,
    [client],
    OFTEN_MS,
  );
  const newest = rows.value?.[0] ?? null;
  if (phones.length === 0) {
    return (
      <p>
        {t("setup.test.no_number")} <a class="link" href={placeOf("operations", "setup", "whatsapp")}>{t("setup.step.whatsapp")}</a>
      </p>
    );
  }
  return (
    <>
      <p role="status">
        <Icon name={newest ? "check" : "clock"} size={16} />{" "}
        {newest ? t("setup.test.received", { name: newest.contact ?? newest.handleText ?? newest.handle ?? "" }) : t("setup.test.waiting", { numbers: phones.map(shownNumber).map(isolated).join(", ") })}
      </p>
      {rows.error && <ErrorNotice error={rows.error} onRetry={() => void rows.reload()} />}
      {isOperator && <Sending />}
      {newest && <Reply row={newest} text={entered.greeting || t("setup.test.greeting", { name: company?.name ?? "" })} onEnter={(greeting) => onEnter({ greeting })} onDone={onDone} />}
    </>
  );
}

// The switch of the deployment: closed after the first deployment.
function Sending() {
  const { client } = useApp();
  const [isAsked, setIsAsked] = useState(false);
  const safe = useResource(async (signal) => {
    const { switches } = (await client.call("GET /operations/switches", { signal })).result;
    return switches.find((one) => one.context === "whatsapp" && one.name === "safe_mode")?.text ?? "";
  }, [client]);
  const set = (on: boolean) => client.call("POST /operations/switches", { body: { context: "whatsapp", name: "safe_mode", on } });
  if (safe.error) return <ErrorNotice error={safe.error} onRetry={() => void safe.reload()} />;
  if (safe.value === null) return null;
  if (safe.value === "false") return <p>{t("setup.test.sending_is_on")}</p>;
  return (
    <div class="notice notice-warn">
      <p>{t("setup.test.sending_is_off")}</p>
      <Button onClick={() => setIsAsked(true)}>{t("setup.test.turn_on")}</Button>
      {isAsked && (
        <LiveChange
          title={t("setup.test.turn_on")}
          button={t("setup.test.turn_on")}
          from={t("setup.test.off")}
          to={t("setup.test.on")}
          effect={t("setup.test.effect")}
          affected={openOf(client, "whatsapp")}
          set={() => set(false)}
          back={() => set(true)}
          done={t("setup.test.sending_on")}
          onClose={() => setIsAsked(false)}
          onChanged={safe.reload}
        />
      )}
    </div>
  );
}

function Reply({ row, text, onEnter, onDone }: { row: ConsoleApi.InboxRow; text: string; onEnter: (text: string) => void; onDone: () => Promise<void> }) {
  const { client } = useApp();
  const [isSent, setIsSent] = useState(false);
  const send = useAction(async () => {
    const body = { text: text.trim() };
    // A repeat after a lost answer sends nothing twice.
    await client.call("POST /whatsapp/conversations/{key}/messages", { path: { key: row.key }, body, key: keyOf(FORM, JSON.stringify([row.key, body])) });
    forgetKey(FORM);
    setIsSent(true);
    onEnter("");
    await onDone();
  });
  const place = placeOf("all", row.context, row.key);
  if (isSent) {
    return (
      <p role="status">
        {t("setup.test.sent")} <a class="link" href={place}>{t("setup.test.open")}</a>
      </p>
    );
  }
  return (
    <form
      class="ops-editor"
      aria-label={t("setup.test.answer")}
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      {send.error && <ErrorNotice error={send.error} fields={["text"]} onRetry={() => void send.run()} />}
      <Field label={t("setup.test.answer")} name="text" error={send.error}>
        <input dir="auto" required maxLength={500} value={text} onInput={(event) => onEnter(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={send.busy}>
          {t("setup.test.send")}
        </Button>
        <a class="link" href={place}>{t("setup.test.open")}</a>
      </div>
    </form>
  );
}
