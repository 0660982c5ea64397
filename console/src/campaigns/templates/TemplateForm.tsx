// A new template, as people will see it, with an example for each variable. The provider reviews it before it can be sent.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { filled, namesIn } from "../../conversations/whatsapp/templateParts";
import { t } from "../../texts/texts";
import { Button, Choices, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { createTemplate, type Account } from "./accounts";
import { CATEGORIES, isComplete, kept, LANGUAGES, MOST_REPLIES, requestOf, variablesIn, type Entered } from "./entered";

const FORM = "template";

interface Props {
  accounts: Account[];
  onCreated: () => void;
  onClose: () => void;
}

export function TemplateForm({ accounts, onCreated, onClose }: Props) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const state = kept(draft.text);
  const write = (changed: Partial<Entered>) => draft.write(JSON.stringify({ ...state, ...changed }));
  const account = accounts.find(({ waba }) => waba === state.waba) ?? accounts[0]!;
  const create = useAction(async () => {
    const body = requestOf(state);
    await createTemplate(client, account, body, draft.keyFor({ ...body, waba: account.waba }));
    draft.sent(draft.text);
    onCreated();
  });
  const exampleOf = (name: string) => state.examples[name];
  return (
    <form
      class="ops-editor"
      aria-label={t("campaign.templates.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      {accounts.length > 1 && (
        <Field label={t("campaign.number")} name="metaWabaId" error={create.error}>
          <select value={account.waba} onChange={(event) => write({ waba: event.currentTarget.value })}>
            {accounts.map(({ waba, phones }) => (
              <option key={waba} value={waba}>
                {phones.join(", ")}
              </option>
            ))}
          </select>
        </Field>
      )}
      <Field label={t("campaign.templates.name")} name="name" error={create.error}>
        <input value={state.name} maxLength={512} pattern="[a-z0-9_]+" required onInput={(event) => write({ name: event.currentTarget.value })} />
      </Field>
      <Field label={t("campaign.templates.language")} name="language" error={create.error}>
        <select value={state.language} onChange={(event) => write({ language: event.currentTarget.value })}>
          {LANGUAGES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      <Choices
        legend={t("campaign.templates.category")}
        name="template-category"
        values={CATEGORIES}
        textOf={(one) => t(`campaign.category.${one}`)}
        chosen={state.category}
        onChoose={(category) => write({ category })}
      />
      <Field label={t("campaign.templates.header")} name="header">
        <input value={state.header} maxLength={60} dir="auto" onInput={(event) => write({ header: event.currentTarget.value })} />
      </Field>
      <Field label={t("campaign.templates.body")} name="components" error={create.error}>
        <textarea value={state.body} maxLength={1024} rows={5} required dir="auto" onInput={(event) => write({ body: event.currentTarget.value })} />
      </Field>
      <p class="quiet">{t("campaign.templates.variables", { first: "{{1}}", second: "{{2}}", named: "{{name}}" })}</p>
      {variablesIn(state).map((name) => (
        <Field key={name} label={t("campaign.templates.example", { name })} name={`example ${name}`}>
          <input value={exampleOf(name) ?? ""} maxLength={200} required dir="auto" onInput={(event) => write({ examples: { ...state.examples, [name]: event.currentTarget.value } })} />
        </Field>
      ))}
      <Field label={t("campaign.templates.footer")} name="footer">
        <input value={state.footer} maxLength={60} dir="auto" onInput={(event) => write({ footer: event.currentTarget.value })} />
      </Field>
      {Array.from({ length: MOST_REPLIES }, (_, at) => (
        <Field key={at} label={t("campaign.templates.reply", { number: at + 1 })} name={`reply ${at}`}>
          <input value={state.replies[at] ?? ""} maxLength={25} dir="auto" onInput={(event) => write({ replies: Object.assign([...state.replies], { [at]: event.currentTarget.value }) })} />
        </Field>
      ))}
      <div class="picker-preview" dir="auto" role="group" aria-label={t("campaign.preview")}>
        {state.header && (
          <p>
            <b>{state.header}</b>
          </p>
        )}
        <p>{filled(state.body, exampleOf)}</p>
        {state.footer && <p class="quiet">{state.footer}</p>}
      </div>
      {namesIn(state.header).length > 0 && (
        <p class="field-problem" role="alert">
          {t("campaign.templates.header_variable")}
        </p>
      )}
      {create.error && <ErrorNotice error={create.error} onRetry={() => void create.run()} fields={["name", "language", "components", "metaWabaId"]} />}
      <div class="ops-editor-end">
        <Button kind="quiet" onClick={onClose}>
          {t("action.cancel")}
        </Button>
        <Button type="submit" kind="primary" busy={create.busy} disabled={!isComplete(state)}>
          {t("campaign.templates.submit")}
        </Button>
      </div>
      <p class="quiet">{t("campaign.templates.submit_about")}</p>
    </form>
  );
}
