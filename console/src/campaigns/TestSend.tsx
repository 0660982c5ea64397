// Sends the template once to a number of one's own, with the texts for people without a value, or the names of the fields.

import { useRef, useState } from "preact/hooks";
import { useAction } from "../api/resource";
import { useApp } from "../app";
import type { Template } from "../conversations/whatsapp/templateParts";
import { named, t } from "../texts/texts";
import { Button, ErrorNotice, Field } from "../ui/controls";
import { choiceOf, componentsOf, nameOfField, variablesOf, type Entered } from "./source";

export function TestSend({ template, state, phone }: { template: Template; state: Entered; phone: string }) {
  const { client } = useApp();
  const [to, setTo] = useState("");
  const [outcome, setOutcome] = useState<string | null>(null);
  const key = useRef(crypto.randomUUID());
  const send = useAction(async () => {
    setOutcome(null);
    const values = variablesOf(template).map((name) => {
      const { field, fallback } = choiceOf(state, name);
      return { type: "text", text: fallback.trim() || nameOfField(field), ...(/^\d+$/.test(name) ? {} : { parameter_name: name }) };
    });
    const components = [...(values.length ? [{ type: "body", parameters: values }] : []), ...componentsOf(state, template)];
    const body = { phone, to: to.trim(), templateName: template.name, language: template.language, ...(components.length ? { components } : {}) };
    const { result } = await client.call("POST /whatsapp/actions/send_template", { body, key: key.current });
    setOutcome(result.state);
    key.current = crypto.randomUUID();
  });
  return (
    <div class="campaign-value" role="group" aria-label={t("campaign.test")}>
      <Field label={t("campaign.test.to")} name="to" error={send.error}>
        <input
          type="tel"
          value={to}
          onInput={(event) => {
            setTo(event.currentTarget.value);
            key.current = crypto.randomUUID();
          }}
        />
      </Field>
      <div class="ops-editor-end">
        <Button busy={send.busy} disabled={!to.trim()} onClick={() => void send.run()}>
          {t("campaign.test")}
        </Button>
      </div>
      {outcome && <p role="status">{named("campaign.test", outcome)}</p>}
      {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} fields={["to"]} />}
    </div>
  );
}
