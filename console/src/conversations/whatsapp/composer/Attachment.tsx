// A file to be sent: chosen, dropped or pasted, checked, uploaded at once, and sent with the message.

import { useEffect, useRef, useState } from "preact/hooks";
import { asApiError, type ApiError } from "../../../api/errors";
import { upload } from "../../../api/upload";
import { useApp } from "../../../app";
import { megabytes } from "../../../texts/format";
import { t } from "../../../texts/texts";
import { Icon } from "../../../ui/icons";
import { ErrorNotice, IconButton } from "../../../ui/controls";
import { kindOf, takesCaption, type Kind } from "./attachments";

export interface Chosen {
  content: File;
  kind: Kind;
}

export interface AttachmentState {
  file: Chosen | null;
  upload: string | null; // the id to send it by, once it is uploaded
  share: number; // of the bytes
  error: ApiError | null;
  problem: string | null;
  dragging: boolean;
  dropTarget: { onDragOver: (event: DragEvent) => void; onDragLeave: () => void; onDrop: (event: DragEvent) => void };
  choose: (content: File) => void;
  retry: () => void;
  remove: () => void;
}

type Stage = Pick<AttachmentState, "file" | "upload" | "share" | "error" | "problem">;

const NOTHING: Stage = { file: null, upload: null, share: 0, error: null, problem: null };

export function useAttachment(): AttachmentState {
  const { client } = useApp();
  const [stage, setStage] = useState<Stage>(NOTHING);
  const [dragging, setDragging] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (file: Chosen) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const change = (next: Partial<Stage>) => {
      if (!controller.signal.aborted) setStage((old) => ({ ...old, ...next }));
    };
    setStage({ ...NOTHING, file });
    try {
      const body = { type: file.kind.type, mimeType: file.kind.mimeType };
      const form = (await client.call("POST /whatsapp/uploads", { body, signal: controller.signal })).result;
      await upload(form, file.content, (share) => change({ share }), controller.signal);
      change({ upload: form.upload, share: 1 });
    } catch (failure) {
      change({ error: asApiError(failure) });
    }
  };
  const remove = () => {
    running.current?.abort();
    setStage(NOTHING);
  };
  const choose = (content: File) => {
    const kind = kindOf(content.type, content.size);
    if (content.size > kind.largestBytes || content.size === 0) {
      const problem = t(content.size ? "attach.too_large" : "attach.empty", { size: megabytes(content.size), most: megabytes(kind.largestBytes) });
      setStage((old) => ({ ...old, problem }));
    } else {
      void start({ content, kind });
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
  return { ...stage, dragging, dropTarget, choose, remove, retry: () => stage.file && void start(stage.file) };
}

export function mediaOf(file: Chosen, uploaded: string, text: string) {
  const { type } = file.kind;
  return {
    type,
    upload: uploaded,
    ...(text.trim() && takesCaption(type) ? { caption: text } : {}),
    ...(type === "document" ? { filename: file.content.name.slice(0, 240) } : {}),
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
  const { file, error, problem, share } = attachment;
  return (
    <>
      {attachment.dragging && <p class="quiet attach-limits">{t("attach.limits")}</p>}
      {problem && (
        <p class="field-problem" role="alert">
          {problem} {t("attach.limits")}
        </p>
      )}
      {file && (
        <div class="attached">
          <Icon name="file" />
          <span class="attached-name">
            {file.content.name} <span class="quiet">{megabytes(file.content.size)}</span>
          </span>
          {!attachment.upload && !error && <progress value={share} max={1} aria-label={t("attach.progress")} />}
          {attachment.upload && <span class="quiet">{t("attach.ready")}</span>}
          <IconButton icon="close" label={t("attach.remove")} onClick={attachment.remove} />
        </div>
      )}
      {error && <ErrorNotice error={error} onRetry={attachment.retry} />}
    </>
  );
}
