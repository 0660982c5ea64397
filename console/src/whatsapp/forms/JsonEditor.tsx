// Another JSON for a draft of a form, with what the provider finds in it.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import { lined, parsed, type Placed } from "../json";
import { JsonField } from "../JsonField";
import { foundBy, placedOf } from "./problems";

export function draftName(flowId: string): string {
  return `form-json-${flowId}`;
}

interface Props {
  waba: string;
  flowId: string;
  found: Placed[]; // what the provider found in the stored JSON
  onStored: () => Promise<void>;
}

export function JsonEditor({ waba, flowId, found, onStored }: Props) {
  const { client } = useApp();
  const draft = useDraft(draftName(flowId));
  const [unread, setUnread] = useState<Placed[]>([]);
  const store = useAction(async () => {
    const read = parsed(draft.text);
    if (!("value" in read)) return setUnread([{ line: read.line, words: t("wa.json.unreadable") }]);
    draft.write(lined(read.value));
    const { result } = await client.call("POST /whatsapp/actions/update_flow_json", { body: { metaWabaId: waba, flowId, flowJson: read.value } });
    const errors = foundBy(result.validationErrors);
    // A text with errors stays, so that they can be corrected at their lines.
    if (errors.length === 0) draft.write("");
    showToast(t(errors.length > 0 ? "forms.stored_faulty" : "forms.stored"));
    await onStored();
  });
  const broken = placedOf(store.error, "flowJson", draft.text);
  return (
    <form
      class="ops-editor"
      aria-label={t("forms.replace")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <JsonField
        label={t("forms.replace")}
        text={draft.text}
        problems={[...unread, ...broken, ...found]}
        required
        hasFile
        onInput={(text) => {
          draft.write(text);
          setUnread([]);
        }}
      />
      {store.error && <ErrorNotice error={store.error} fields={["flowJson"]} onRetry={() => void store.run()} />}
      <div class="ops-editor-end">
        <Button type="submit" busy={store.busy}>
          {t("forms.replace.store")}
        </Button>
      </div>
    </form>
  );
}
