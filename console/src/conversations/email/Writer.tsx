// Writes a draft of an answer, with files. It is sent after its approval.

import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { useSay } from "../../live/hooks";
import { t } from "../../texts/texts";
import { useDraft } from "../../ui/draft";
import { Button, ErrorNotice } from "../../ui/controls";
import { AttachButton } from "../whatsapp/composer/Attachment";
import { CannedReplies, openedCanned } from "../whatsapp/composer/CannedReplies";
import { FileList, useFiles } from "./files";

export function Writer({ thread, onChange }: { thread: string; onChange: () => void }) {
  const { client } = useApp();
  const say = useSay("email_threads", thread);
  const draft = useDraft(thread);
  const { text } = draft;
  const write = (next: string) => {
    draft.write(next);
    if (next.trim()) say("typing");
  };
  const files = useFiles(thread);
  const save = useAction(async () => {
    const attachments = files.all.flatMap((one) => (one.upload ? [one.upload] : []));
    const body = { body_text: text, attachments };
    await client.call("POST /email-threads/{conversation_id}/replies", { path: { conversation_id: thread }, body, key: draft.keyFor(body) });
    draft.sent(text);
    files.clear();
    onChange();
  });
  const problems = ["body_text", "attachments"].flatMap((field) => save.error?.problemOf(field) ?? []);
  return (
    <footer class="composer">
      <div
        class="writer"
        onDragOver={(event) => event.dataTransfer?.types.includes("Files") && event.preventDefault()}
        onDrop={(event) => {
          if (!event.dataTransfer?.files.length) return;
          event.preventDefault();
          for (const file of event.dataTransfer.files) files.add(file);
        }}
      >
        {save.error && <ErrorNotice error={save.error} fields={["body_text", "attachments"]} onRetry={() => void save.run()} />}
        <FileList files={files} />
        <textarea dir="auto"
          rows={3}
          value={text}
          aria-label={t("mail.answer")}
          aria-invalid={problems.length > 0}
          placeholder={t("mail.answer")}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => void openedCanned(event, text)}
        />
        {problems.map((problem) => (
          <p key={problem} class="field-problem" role="alert">
            {problem}
          </p>
        ))}
        <div class="writer-bar">
          <AttachButton onChoose={files.add} />
          <CannedReplies customer={null} onChoose={(chosen) => write(text ? `${text}\n${chosen}` : chosen)} />
          <span class="writer-space" />
          <span class="quiet writer-hint">{t("mail.hint")}</span>
          <Button kind="primary" icon="note" busy={save.busy} disabled={!text.trim() || files.isBusy} onClick={() => void save.run()}>
            {t("draft.save")}
          </Button>
        </div>
      </div>
    </footer>
  );
}
