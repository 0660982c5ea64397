// The form of a macro: its answer, labels, status, priority and assignee.

import { useState } from "preact/hooks";
import { asApiError, type ApiError } from "../../api/errors";
import type { EmailThreadsApi } from "../../api/routes";
import { useAction } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { stepsOf } from "../../conversations/email/Macros";
import { usePeople } from "../../session/people";
import { assigneesOf } from "../../session/assignees";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";

type Macro = EmailThreadsApi.MacroView;
type Input = EmailThreadsApi.MacroInput;

const STATUSES = ["active", "pending_info", "completed", "archived"] as const;
const PRIORITIES = ["high", "medium", "low"] as const;

interface Props {
  macro: Macro | null;
  replies: string[];
  onChange: () => Promise<void>; // also by a colleague
}

// A colleague's change is shown before it is replaced: the next storing names it.
export function MacroEditor({ macro, replies, onChange }: Props) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [seen, setSeen] = useState(macro);
  const [given, setGiven] = useState({
    name: macro?.name ?? "",
    reply: macro?.canned_reply ?? "",
    sends: macro?.sends ?? false,
    added: macro?.add_tags.join(", ") ?? "",
    removed: macro?.remove_tags.join(", ") ?? "",
    status: String(macro?.status ?? ""),
    priority: macro?.priority ?? "",
    assignee: macro?.assigned_to ?? "",
  });
  const write = (change: Partial<typeof given>) => setGiven({ ...given, ...change });
  const save = useAction(async () => {
    const body: Input = {
      name: given.name,
      seen: seen?.name === given.name ? seen.updated_at : null,
      ...(given.reply && { canned_reply: given.reply, sends: given.sends }),
      ...(given.added && { add_tags: listOf(given.added) }),
      ...(given.removed && { remove_tags: listOf(given.removed) }),
      ...(given.status && { status: given.status as NonNullable<Input["status"]> }),
      ...(given.priority && { priority: given.priority as NonNullable<Input["priority"]> }),
      ...(given.assignee && { assigned_to: given.assignee }),
    };
    const look = async () => {
      const now = (await client.call("GET /email-threads/macros", {})).result.macros;
      setSeen(now.find((one) => one.name === given.name) ?? null);
      await onChange();
    };
    try {
      await client.call("POST /email-threads/macros", { body });
    } catch (failure) {
      if (asApiError(failure).code === "version_conflict") await look();
      throw failure;
    }
    await look();
  });
  const meanwhile = save.error?.code === "version_conflict" ? seen : null;
  const hasStep = Boolean(given.reply || given.added || given.removed || given.status || given.priority || given.assignee);
  const fields = ["name", "canned_reply", "add_tags", "remove_tags", "status", "priority", "assigned_to", "seen"];
  return (
    <form
      class="ops-editor"
      aria-label={t("macro.form")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error && <ErrorNotice error={save.error} fields={fields} />}
      {meanwhile && (
        <p class="notice">
          {t("macro.meanwhile", { name: actor(meanwhile.updated_by, me) })} {stepsOf(meanwhile).join(", ")}
        </p>
      )}
      <Field label={t("macro.name")} name="name" error={save.error}>
        <input value={given.name} maxLength={64} onInput={(event) => write({ name: event.currentTarget.value })} />
      </Field>
      <Choice label={t("macro.reply")} name="canned_reply" error={save.error} values={replies} chosen={given.reply} textOf={(one) => one} onChoose={(reply) => write({ reply })} />
      <label class="choice-line">
        <input type="checkbox" checked={given.sends} disabled={!given.reply} onChange={(event) => write({ sends: event.currentTarget.checked })} />
        <span>{t("macro.send_at_once")}</span>
      </label>
      <Field label={t("macro.add_labels")} name="add_tags" error={save.error}>
        <input value={given.added} onInput={(event) => write({ added: event.currentTarget.value })} />
      </Field>
      <Field label={t("macro.remove_labels")} name="remove_tags" error={save.error}>
        <input value={given.removed} onInput={(event) => write({ removed: event.currentTarget.value })} />
      </Field>
      <Choice label={t("facts.status")} name="status" error={save.error} values={STATUSES} chosen={given.status} textOf={(one) => named("status", one)} onChoose={(status) => write({ status })} />
      <Choice label={t("macro.priority")} name="priority" error={save.error} values={PRIORITIES} chosen={given.priority} textOf={(one) => named("priority", one)} onChoose={(priority) => write({ priority })} />
      <AssigneeChoice error={save.error} chosen={given.assignee} onChoose={(assignee) => write({ assignee })} />
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy} disabled={!given.name || !hasStep}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}

function AssigneeChoice({ error, chosen, onChoose }: { error: ApiError | null; chosen: string; onChoose: (assignee: string) => void }) {
  const people = usePeople();
  const found = people ? assigneesOf(people, null, []) : null;
  const values = ["me", ...(found ? [...found.teams, ...found.people] : [])];
  return <Choice label={t("facts.assignee")} name="assigned_to" error={error} values={values} chosen={chosen} textOf={(one) => (one === "me" ? t("macro.to_me") : actor(one, null))} onChoose={onChoose} />;
}

// A value that is not offered any more stays chosen until another one is.
function Choice({ label, name, error, values, chosen, textOf, onChoose }: {
  label: string;
  name: string;
  error: ApiError | null;
  values: readonly string[];
  chosen: string;
  textOf: (value: string) => string;
  onChoose: (value: string) => void;
}) {
  const offered = chosen && !values.includes(chosen) ? [...values, chosen] : values;
  return (
    <Field label={label} name={name} error={error}>
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        <option value="">{t("macro.unchanged")}</option>
        {offered.map((one) => (
          <option key={one} value={one}>
            {textOf(one)}
          </option>
        ))}
      </select>
    </Field>
  );
}

function listOf(text: string): string[] {
  return [...new Set(text.split(",").map((one) => one.trim()).filter(Boolean))];
}
