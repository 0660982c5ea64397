// Chooses an approved template, asks for the values of its variables, and sends it.

import { useRef, useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Button, Empty, ErrorNotice, Field, IconButton, Skeleton } from "../../../ui/controls";
import type { Head } from "../conversationData";
import { bodyOf, buttonsOf, completed, filled, headerOf, namesIn, type Template } from "../templateParts";

interface Props {
  conversation: string;
  head: Head;
  onClose: () => void;
  onSent: () => void;
}

export function TemplatePicker({ conversation, head, onClose, onSent }: Props) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<Template | null>(null);
  const templates = useResource(
    async (signal) => {
      const numbers = await client.call("GET /whatsapp/numbers", { signal });
      const number = numbers.result.numbers.find((one) => one.phone === head.phone);
      if (!number) return { account: "", found: [] };
      const body = { metaWabaId: number.waba, status: "APPROVED" as const, limit: 100 };
      return { account: number.waba, found: (await client.call("POST /whatsapp/actions/get_local_templates", { body, signal })).result.templates };
    },
    [client, head.phone],
  );
  const whole = useResource(async (signal) => (chosen ? completed(client, templates.value!.account, chosen, signal) : null), [client, chosen]);
  return (
    <div class="picker" role="group" aria-label={t("template.choose")}>
      <div class="picker-head">
        <h3>{chosen ? chosen.name : t("template.choose")}</h3>
        <IconButton icon={chosen ? "back" : "close"} label={t(chosen ? "action.back" : "action.close")} onClick={() => (chosen ? setChosen(null) : onClose())} />
      </div>
      {templates.error ? (
        <ErrorNotice error={templates.error} onRetry={() => void templates.reload()} />
      ) : templates.value === null ? (
        <Skeleton rows={3} kind="row" />
      ) : chosen ? (
        <>
          {whole.error && <ErrorNotice error={whole.error} onRetry={() => void whole.reload()} />}
          {whole.value && <Values conversation={conversation} template={whole.value} onSent={onSent} />}
        </>
      ) : templates.value.found.length === 0 ? (
        <Empty icon="template" title={t("template.none")} />
      ) : (
        <div class="choices">
          {templates.value.found.map((template) => (
            <button key={`${template.name}/${template.language}`} type="button" class="choice choice-tall" onClick={() => setChosen(template)}>
              <b>
                {template.name} <span class="quiet">{template.language}</span>
              </b>
              <span class="quiet">{bodyOf(template)}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

interface Variable {
  id: string; // in `values`
  label: string;
  field: string; // in the API's answer
}

function Values({ conversation, template, onSent }: { conversation: string; template: Template; onSent: () => void }) {
  const { client } = useApp();
  const names = namesIn(bodyOf(template));
  const isNumbered = names.every((name) => /^\d+$/.test(name));
  const variables: Variable[] = [
    ...(namesIn(headerOf(template)).length ? [{ id: "header", label: t("template.header"), field: "template.header" }] : []),
    ...names.map((name) => ({ id: name, label: t("template.value", { name }), field: `template.body.${isNumbered ? Number(name) - 1 : name}` })),
    ...buttonsOf(template).map(({ at, text }) => ({ id: `button ${at}`, label: t("template.button", { name: text }), field: `template.buttons.${at}` })),
  ];
  const [values, setValues] = useState<Record<string, string>>({});
  const key = useRef(crypto.randomUUID());
  const send = useAction(async () => {
    const sorted = [...names].sort((one, other) => Number(one) - Number(other));
    const valueOf = (id: string) => values[id] ?? "";
    await client.call("POST /whatsapp/conversations/{key}/messages", {
      path: { key: conversation },
      body: {
        template: {
          name: template.name,
          language: template.language,
          header: values.header ?? null,
          body: isNumbered ? sorted.map(valueOf) : Object.fromEntries(names.map((name) => [name, valueOf(name)])),
          buttons: Object.fromEntries(buttonsOf(template).map(({ at }) => [String(at), valueOf(`button ${at}`)])),
        },
      },
      key: key.current,
    });
    onSent();
  });
  const isComplete = variables.every(({ id }) => values[id]?.trim());
  return (
    <form
      class="picker-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <div class="picker-preview" dir="auto">
        {headerOf(template) && (
          <p>
            <b>{filled(headerOf(template), () => values.header)}</b>
          </p>
        )}
        <p>{filled(bodyOf(template), (name) => values[name])}</p>
      </div>
      {variables.map(({ id, label, field }) => (
        <Field key={id} label={label} name={field} error={send.error}>
          <input
            value={values[id] ?? ""}
            maxLength={1024}
            onInput={(event) => {
              setValues({ ...values, [id]: event.currentTarget.value });
              key.current = crypto.randomUUID();
            }}
          />
        </Field>
      ))}
      {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} fields={variables.map(({ field }) => field)} />}
      <Button kind="primary" icon="send" type="submit" busy={send.busy} disabled={!isComplete}>
        {t("composer.send")}
      </Button>
    </form>
  );
}
