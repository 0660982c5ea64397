// The labels of a conversation: add one, remove one. The same in all contexts.

import { useRef } from "preact/hooks";
import { asApiError } from "../../api/errors";
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

function changeOf(labels: string[], added: string[], removed: string[]): LabelChange {
  const kept = labels.filter((label) => !removed.includes(label));
  return { labels: [...new Set([...kept, ...added])], added, removed };
}

interface Props {
  conversation: string;
  labels: string[];
  onSet: (change: LabelChange) => Promise<unknown>; // throws ApiError
  onChange: () => void | Promise<void>; // afterwards the page has what is stored
}

export function Labels({ conversation, labels, onSet, onChange }: Props) {
  const draft = useDraft(`label:${conversation}`);
  const { text } = draft;
  const latest = useRef({ labels, onSet, onChange });
  latest.current = { labels, onSet, onChange };
  const wanted = useRef<Omit<LabelChange, "labels">>({ added: [], removed: [] });
  const action = useAction(async () => {
    const { added, removed } = wanted.current;
    const set = () => latest.current.onSet(changeOf(latest.current.labels, added, removed));
    // Another change, such as an own undo that the page has not read yet, is no reason not to add or remove a label.
    await set().catch(async (failure: unknown) => {
      if (asApiError(failure).code !== "state_conflict") throw failure;
      await latest.current.onChange();
      await set();
    });
    await onChange();
    const [label = ""] = [...added, ...removed];
    showToast(t(added.length ? "undo.labelled" : "undo.unlabelled", { label }), async () => {
      const { labels, onSet, onChange } = latest.current; // with those of colleagues
      await onSet(changeOf(labels, removed, added));
      await onChange();
    });
  });
  const change = (added: string[], removed: string[]) => {
    wanted.current = { added, removed };
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
