// The routing of a form's data endpoint: which screen follows which, with which data, and the company's own system.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import type { Placed } from "../json";
import { JsonField } from "../JsonField";
import { inWords } from "./problems";
import { bodyOf, enteredOf, kept, type Entered } from "./routing";

const FIELDS = ["firstScreen", "endpoint.url", "endpoint.secretReference"];

export function RoutingForm({ flowId, stored, onStored }: { flowId: string; stored: Actions.StoredRouting | null; onStored: () => Promise<void> }) {
  const { client } = useApp();
  const draft = useDraft(`form-routing-${flowId}`);
  const state = kept(draft.text) ?? enteredOf(stored);
  const [unread, setUnread] = useState<Record<number, Placed[]>>({});
  const write = (part: Partial<Entered>) => draft.write(JSON.stringify({ ...state, ...part }));
  const change = (at: number, part: Partial<Entered["rows"][number]>) => write({ rows: state.rows.map((row, index) => (index === at ? { ...row, ...part } : row)) });
  const store = useAction(async () => {
    const body = bodyOf(flowId, state);
    if ("faults" in body) return setUnread(Object.fromEntries(body.faults.map(({ row, line }) => [row, [{ line, words: t("wa.json.unreadable") }]])));
    setUnread({});
    await client.call("POST /whatsapp/actions/set_flow_routing", { body });
    draft.write("");
    showToast(t("forms.routing.stored"));
    await onStored();
  });
  const elsewhere = store.error?.details.filter(({ field }) => !FIELDS.includes(field ?? "")) ?? [];
  return (
    <form
      class="ops-editor"
      aria-label={t("forms.routing")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h3>{t("forms.routing")}</h3>
      <p class="quiet">{t("forms.routing.about")}</p>
      <Field label={t("forms.routing.first")} name="firstScreen" error={store.error}>
        <input dir="ltr" required maxLength={100} value={state.first} onInput={(event) => write({ first: event.currentTarget.value })} />
      </Field>
      {state.rows.map((row, at) => (
        <fieldset key={at}>
          <legend>{t("forms.routing.row", { number: at + 1 })}</legend>
          <div class="wa-line">
            <Field label={t("forms.routing.screen")} name="">
              <input dir="ltr" required maxLength={100} value={row.screen} onInput={(event) => change(at, { screen: event.currentTarget.value })} />
            </Field>
            <Field label={t("forms.routing.next")} name="">
              <input dir="ltr" maxLength={100} placeholder="SUCCESS" value={row.next} onInput={(event) => change(at, { next: event.currentTarget.value })} />
            </Field>
            {state.rows.length > 1 && (
              <Button label={t("forms.routing.remove_of", { number: at + 1 })} onClick={() => write({ rows: state.rows.filter((_, index) => index !== at) })}>
                {t("forms.routing.remove")}
              </Button>
            )}
          </div>
          <JsonField label={t("forms.routing.data")} rows={3} text={row.data} problems={unread[at] ?? []} onInput={(data) => change(at, { data })} />
        </fieldset>
      ))}
      <div>
        <Button onClick={() => write({ rows: [...state.rows, { screen: "", next: "", data: "" }] })}>{t("forms.routing.add")}</Button>
      </div>
      <Field label={t("forms.routing.url")} name="endpoint.url" error={store.error}>
        <input type="url" dir="ltr" maxLength={2048} placeholder="https://" value={state.url} onInput={(event) => write({ url: event.currentTarget.value })} />
      </Field>
      {stored?.endpointHasQuery && <p class="quiet">{t("forms.routing.query")}</p>}
      <Field label={t("forms.routing.secret")} name="endpoint.secretReference" error={store.error}>
        <input dir="ltr" maxLength={512} required={state.url !== ""} placeholder="parley/prod/companies/acme/forms" value={state.secret} onInput={(event) => write({ secret: event.currentTarget.value })} />
      </Field>
      {elsewhere.map(({ field, problem }) => (
        <p key={`${field} ${problem}`} class="field-problem" role="alert">
          {inWords(problem ?? "")}
        </p>
      ))}
      {store.error && <ErrorNotice error={store.error} fields={store.error.details.map(({ field }) => field ?? "")} onRetry={() => void store.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" busy={store.busy}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}

