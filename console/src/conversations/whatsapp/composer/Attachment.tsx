// A file to be sent: chosen, dropped or pasted, checked, uploaded at once, and sent with the message.

import { useRef, useState } from "preact/hooks";
import { upload } from "../../../api/upload";
import type { ApiError } from "../../../api/errors";
import { useApp } from "../../../app";
import { megabytes } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Icon } from "../../../ui/icons";
import { ErrorNotice, IconButton } from "../../../ui/controls";
import { useKeptFiles } from "../../unsent/hooks";
import type { KeptFile, Send } from "../../unsent/keptFiles";
import { files } from "../../unsent/stores";
import { kindOf, takesCaption, type Kind } from "./attachments";

export type Chosen = KeptFile<string, ApiError> & { kind: Kind };

export interface AttachmentState {
  file: Chosen | null;
  problem: string | null;
  dragging: boolean;
  dropTarget: { onDragOver: (event: DragEvent) => void; onDragLeave: () => void; onDrop: (event: DragEvent) => void };
  choose: (content: File) => void;
  retry: () => void;
  remove: () => void;
}

// The file of a conversation's unsent message. It stays, and its upload goes on, while the person is elsewhere.
export function useAttachment(conversation: string): AttachmentState {
  const { client } = useApp();
  const kept = useKeptFiles(files, conversation)[0] ?? null;
  const file = kept && { ...kept, kind: kindOf(kept.mimeType, kept.bytes) };
  const [problem, setProblem] = useState<string | null>(null);
  const [dragging, setDragging] = useState(false);

  const sendOf = (content: File, { type, mimeType }: Kind): Send<string> => async (onShare, signal) => {
    const form = (await client.call("POST /whatsapp/uploads", { body: { type, mimeType }, signal })).result;
    await upload(form, content, onShare, signal);
    return form.upload;
  };
  const choose = (content: File) => {
    const kind = kindOf(content.type, content.size);
    if (content.size > kind.largestBytes || content.size === 0) {
      setProblem(t(content.size ? "attach.too_large" : "attach.empty", { size: megabytes(content.size), most: megabytes(kind.largestBytes) }));
    } else {
      setProblem(null);
      files.clear(conversation);
      void files.add(conversation, content, sendOf(content, kind));
    }
  };
  const dropTarget = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setDragging(true);
    },
    onDragLeave: () => setDragging(false),
    onDrop: (event: DragEvent) => {
      const dropped = event.dataTransfer?.files[0];
      setDragging(false);
      if (!dropped) return;
      event.preventDefault();
      choose(dropped);
    },
  };
  const retry = () => {
    if (file?.content) void files.start(conversation, file.id, sendOf(file.content, file.kind));
  };
  return { file, problem, dragging, dropTarget, choose, retry, remove: () => files.clear(conversation) };
}

export function mediaOf({ kind: { type }, name }: Chosen, uploaded: string, text: string) {
  return {
    type,
    upload: uploaded,
    ...(text.trim() && takesCaption(type) ? { caption: text } : {}),
    ...(type === "document" ? { filename: name.slice(0, 240) } : {}),
  };
}

export function AttachButton({ onChoose }: { onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="clip" label={t("attach.choose")} onClick={() => input.current?.click()} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t("attach.choose")}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) onChoose(file);
        }}
      />
    </>
  );
}

export function Attachment({ attachment }: { attachment: AttachmentState }) {
  const { file, problem } = attachment;
  return (
    <>
      {attachment.dragging && <p class="quiet attach-limits">{t("attach.limits")}</p>}
      {problem && (
        <p class="field-problem" role="alert">
          {problem} {t("attach.limits")}
        </p>
      )}
      {file && <AttachedFile file={file} onRetry={attachment.retry} onRemove={attachment.remove} />}
    </>
  );
}

export function AttachedFile({ file, onRetry, onRemove }: { file: KeptFile<unknown, ApiError>; onRetry: () => void; onRemove: () => void }) {
  return (
    <>
      <div class="attached">
        <Icon name="file" />
        <span class="attached-name">
          {file.name} <span class="quiet">{megabytes(file.bytes)}</span>
        </span>
        {!file.upload && !file.error && <progress value={file.share} max={1} aria-label={t("attach.progress")} />}
        {file.upload !== null && <span class="quiet">{t("attach.ready")}</span>}
        <IconButton icon="close" label={t("attach.remove")} onClick={onRemove} />
      </div>
      {file.error && <ErrorNotice error={file.error} onRetry={onRetry} />}
    </>
  );
}
