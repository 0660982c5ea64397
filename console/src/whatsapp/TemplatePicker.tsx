// Chooses an approved template, asks for the values of its variables, and sends it.

import { useRef, useState } from "preact/hooks";
import type { Actions } from "../api/routes";
import { useAction, useResource } from "../api/resource";
import { useApp } from "../app";
import { t } from "../texts/texts";
import { Button, Empty, ErrorNotice, Field, IconButton, Skeleton } from "../ui/parts";
import type { Head } from "./data";

type Template = Actions.TemplateView;

interface Props {
  conversation: string;
  head: Head;
  onClose: () => void;
  onSent: () => void;
}

interface Component {
  type?: string;
  format?: string;
  text?: string;
}

const VARIABLE = /{{\s*(\w+)\s*}}/g;

export function TemplatePicker({ conversation, head, onClose, onSent }: Props) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<Template | null>(null);
  const templates = useResource(
    async (signal) => {
      const numbers = await client.call("GET /whatsapp/numbers", { signal });
      const number = numbers.result.numbers.find((one) => one.phone === head.phone);
      if (!number) return [];
      const body = { metaWabaId: number.waba, status: "APPROVED" as const, limit: 100 };
      return (await client.call("POST /whatsapp/actions/get_local_templates", { body, signal })).result.templates;
    },
    [client, head.phone],
  );
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
        <Values conversation={conversation} template={chosen} onSent={onSent} />
      ) : templates.value.length === 0 ? (
        <Empty icon="template" title={t("template.none")} />
      ) : (
        <div class="choices">
          {templates.value.map((template) => (
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

function Values({ conversation, template, onSent }: { conversation: string; template: Template; onSent: () => void }) {
  const { client } = useApp();
  const body = bodyOf(template);
  const names = [...new Set([...body.matchAll(VARIABLE)].map((match) => match[1]!))];
  const [values, setValues] = useState<Record<string, string>>({});
  const key = useRef(crypto.randomUUID());
  const isNumbered = names.every((name) => /^\d+$/.test(name));
  const send = useAction(async () => {
    const sorted = [...names].sort((one, other) => Number(one) - Number(other));
    const given = isNumbered ? sorted.map((name) => values[name] ?? "") : values;
    await client.call("POST /whatsapp/conversations/{key}/messages", {
      path: { key: conversation },
      body: { template: { name: template.name, language: template.language, body: given } },
      key: key.current,
    });
    onSent();
  });
  const isComplete = names.every((name) => values[name]?.trim());
  return (
    <form
      class="picker-form"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      <p class="picker-preview">{body.replace(VARIABLE, (variable, name: string) => values[name] || variable)}</p>
      {names.map((name) => (
        <Field key={name} label={t("template.value", { name })} name={`template.body.${isNumbered ? Number(name) - 1 : name}`} error={send.error}>
          <input
            value={values[name] ?? ""}
            maxLength={1024}
            onInput={(event) => {
              setValues({ ...values, [name]: event.currentTarget.value });
              key.current = crypto.randomUUID();
            }}
          />
        </Field>
      ))}
      {send.error && <ErrorNotice error={send.error} onRetry={() => void send.run()} />}
      <Button kind="primary" icon="send" type="submit" busy={send.busy} disabled={!isComplete}>
        {t("composer.send")}
      </Button>
    </form>
  );
}

function bodyOf(template: Template): string {
  const components = (template.components ?? []) as Component[];
  return components.find((component) => component.type === "BODY")?.text ?? "";
}
