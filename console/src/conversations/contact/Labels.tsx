// The labels of a conversation: add one, remove one. The same in all contexts.

import { useRef } from "preact/hooks";
import { useAction } from "../../api/resource";
import { t } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Icon } from "../../ui/icons";
import { ErrorNotice } from "../../ui/controls";
import { showToast } from "../../ui/toastList";

const LONGEST_LABEL = 50;

export interface LabelChange {
  labels: string[]; // all of them after the change
  added: string[];
  removed: string[];
}

interface Props {
  conversation: string;
  labels: string[];
  onSet: (change: LabelChange) => Promise<unknown>; // throws ApiError
  onChange: () => void | Promise<void>;
}

export function Labels({ conversation, labels, onSet, onChange }: Props) {
  const draft = useDraft(`label:${conversation}`);
  const { text } = draft;
  const latest = useRef({ onSet, onChange });
  latest.current = { onSet, onChange };
  const wanted = useRef<LabelChange>({ labels, added: [], removed: [] });
  const action = useAction(async () => {
    const { added, removed } = wanted.current;
    await onSet(wanted.current);
    await onChange();
    const [label = ""] = [...added, ...removed];
    showToast(t(added.length ? "undo.labelled" : "undo.unlabelled", { label }), async () => {
      await latest.current.onSet({ labels, added: removed, removed: added });
      await latest.current.onChange();
    });
  });
  const change = (added: string[], removed: string[]) => {
    const kept = labels.filter((label) => !removed.includes(label));
    wanted.current = { labels: [...new Set([...kept, ...added])], added, removed };
    return action.run();
  };
  const add = async () => {
    const label = text.trim();
    if (label && (await change([label], []))) draft.sent(text);
  };
  // The API names the place in the list: `labels.2`.
  const problem = action.error?.details.find(({ field }) => /^(labels|add_tags)\b/.test(field ?? ""))?.problem;
  return (
    <section class="facts-part">
      <h3>
        <Icon name="tag" size={16} /> {t("facts.labels")}
      </h3>
      <ul class="labels">
        {labels.map((label) => (
          <li key={label} class="label">
            {label}
            <button type="button" aria-label={t("labels.remove", { label })} disabled={action.busy} onClick={() => void change([], [label])}>
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          data-command="label"
          aria-label={t("labels.add")}
          aria-invalid={problem !== undefined}
          placeholder={t("labels.add")}
          maxLength={LONGEST_LABEL}
          value={text}
          onInput={(event) => draft.write(event.currentTarget.value)}
        />
        {problem && (
          <span class="field-problem" role="alert">
            {problem}
          </span>
        )}
      </form>
      {action.error && !problem && <ErrorNotice error={action.error} />}
    </section>
  );
}
