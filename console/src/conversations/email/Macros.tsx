// Runs a macro on a thread: its answer is shown with its values before, and a step that failed after.

import { useRef, useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { isGone } from "../../session/assignees";
import { usePeople } from "../../session/people";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { Button, ErrorNotice, Field, Menu, Skeleton } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { forgetKey, keyOf } from "../drafts";
import { filled, known } from "../whatsapp/composer/variables";

type Macro = EmailThreadsApi.MacroView;

// What came after the person had chosen a macro that sends: it is seen before the answer goes out.
const OUTDATED = ["state_conflict", "stale_draft"];

interface Props {
  thread: string;
  seq: number; // of what the page has read of the thread
  onChange: () => void;
}

export function Macros(props: Props) {
  return (
    <Menu label={t("macro.choose")} button={<Icon name="bolt" size={16} />}>
      {(close) => <Choices {...props} onDone={close} />}
    </Menu>
  );
}

function Choices({ thread, seq, onChange, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<Macro | null>(null);
  const loaded = useResource(
    async (signal) => {
      const [macros, replies] = await Promise.all([
        client.call("GET /email-threads/macros", { signal }),
        client.call("GET /whatsapp/canned-replies", { signal }),
      ]);
      return { macros: macros.result.macros, replies: replies.result.cannedReplies };
    },
    [client],
  );
  if (loaded.error) return <ErrorNotice error={loaded.error} onRetry={() => void loaded.reload()} />;
  if (loaded.value === null) return <Skeleton rows={3} kind="row" />;
  const { macros, replies } = loaded.value;
  if (chosen) {
    const reply = replies.find((one) => one.name === chosen.canned_reply);
    return <Run thread={thread} seq={seq} macro={chosen} text={reply?.text ?? ""} variables={reply?.variables ?? []} onBack={() => setChosen(null)} onDone={onDone} onChange={onChange} />;
  }
  return (
    <div class="choices">
      <p class="choices-title">{t("macro.choose")}</p>
      {macros.length === 0 && <p class="quiet choices-empty">{t("macro.empty")}</p>}
      {macros.map((macro) => (
        <button key={macro.name} type="button" class="choice choice-tall" onClick={() => setChosen(macro)}>
          <b>{macro.name}</b>
          <span class="quiet">{stepsOf(macro).join(", ")}</span>
        </button>
      ))}
    </div>
  );
}

interface RunProps extends Props {
  macro: Macro;
  text: string;
  variables: string[];
  onBack: () => void;
  onDone: () => void;
}

function Run({ thread, seq, macro, text, variables, onBack, onDone, onChange }: RunProps) {
  const { client } = useApp();
  const me = useSession().person?.name ?? null;
  const [values, setValues] = useState(() => known(variables, { name: null, me }));
  const form = `macro:${thread}:${macro.name}`;
  const people = usePeople();
  const gone = macro.assigned_to && isGone(macro.assigned_to, people) ? macro.assigned_to : null;
  const isComplete = variables.every((name) => values[name]?.trim());
  const seen = useRef(seq);
  const run = useAction(async () => {
    if (isOutdated) seen.current = seq;
    const body = { variables: values, ...(macro.sends ? { expected_seq: seen.current, confirm_stale: isOutdated } : {}) };
    const path = { conversation_id: thread, name: macro.name };
    const done = await client.call("POST /email-threads/{conversation_id}/macros/{name}", { path, body, key: keyOf(form, JSON.stringify(body)) });
    forgetKey(form);
    const failed = done.result.steps.filter((step) => step.state === "failed").map((step) => named("macro.failed", String(step.reason)));
    showToast([t("macro.done", { name: macro.name }), ...failed].join(" "));
    onDone();
    onChange();
  });
  const isOutdated = run.error !== null && OUTDATED.includes(run.error.code);
  return (
    <form
      class="picker-form"
      onSubmit={(event) => {
        event.preventDefault();
        void run.run();
      }}
    >
      {run.error && <ErrorNotice error={run.error} onRetry={() => void run.run()} fields={variables.map((name) => `variables.${name}`)} />}
      <p class="quiet">{stepsOf(macro).join(", ")}</p>
      {gone && (
        <p class="notice notice-warn" role="alert">
          {t("macro.gone", { name: actor(gone, null) })}
        </p>
      )}
      {text && <p class="picker-preview" dir="auto">{filled(text, values)}</p>}
      {variables.map((name) => (
        <Field key={name} label={t("template.value", { name })} name={`variables.${name}`} error={run.error}>
          <input value={values[name] ?? ""} maxLength={1024} onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })} />
        </Field>
      ))}
      <Button kind="primary" type="submit" busy={run.busy} disabled={!isComplete || gone !== null}>
        {t(isOutdated ? "draft.approve_stale" : "macro.run")}
      </Button>
      <Button kind="quiet" onClick={onBack}>
        {t("action.back")}
      </Button>
    </form>
  );
}

// The steps of a macro in words.
export function stepsOf(macro: Macro): string[] {
  const steps: string[] = [];
  if (macro.canned_reply) steps.push(t(macro.sends ? "macro.sends" : "macro.answers", { name: macro.canned_reply }));
  steps.push(...macro.add_tags.map((tag) => `+${tag}`), ...macro.remove_tags.map((tag) => `−${tag}`));
  if (macro.status) steps.push(named("status", String(macro.status)));
  if (macro.priority) steps.push(named("priority", macro.priority));
  if (macro.assigned_to) steps.push(macro.assigned_to === "me" ? t("macro.to_me") : actor(macro.assigned_to, null));
  return steps;
}
