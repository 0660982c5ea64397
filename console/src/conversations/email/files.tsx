// Files of a mail: checked, uploaded at once by the signed form, and named in the draft.

import { useEffect, useRef, useState } from "preact/hooks";
import { asApiError, type ApiError } from "../../api/errors";
import { upload } from "../../api/upload";
import { useApp } from "../../app";
import { megabytes } from "../../texts/format";
import { t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import { ErrorNotice, IconButton } from "../../ui/controls";

// LARGEST_BYTES of functions/email_threads/api/drafts/files.py, of all files of a mail.
const LARGEST_BYTES = 7 * 1_048_576;

interface Attached {
  id: number;
  content: File;
  share: number;
  upload: { upload: string; filename: string } | null;
  error: ApiError | null;
}

export interface Files {
  all: Attached[];
  problem: string | null;
  isBusy: boolean; // a file is not uploaded
  add: (content: File) => void;
  retry: (file: Attached) => void;
  remove: (id: number) => void;
  clear: () => void;
}

export function useFiles(thread: string): Files {
  const { client } = useApp();
  const [all, setAll] = useState<Attached[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  const chosen = useRef<Map<number, number>>(new Map()); // bytes by id: several files may be dropped at once
  const last = useRef(0);
  useEffect(() => () => stop.current.abort(), []);

  const send = async ({ id, content }: Pick<Attached, "id" | "content">) => {
    const change = (next: Partial<Attached>) => setAll((old) => old.map((one) => (one.id === id ? { ...one, ...next } : one)));
    change({ error: null, share: 0 });
    try {
      const type = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(content.type) ? content.type : "application/octet-stream";
      const body = { filename: content.name.slice(-120), content_type: type };
      const form = (await client.call("POST /email-threads/{conversation_id}/uploads", { path: { conversation_id: thread }, body, signal: stop.current.signal })).result;
      await upload(form, content, (share) => change({ share }), stop.current.signal);
      change({ upload: { upload: form.upload, filename: form.filename }, share: 1 });
    } catch (failure) {
      change({ error: asApiError(failure) });
    }
  };
  const add = (content: File) => {
    const sum = [...chosen.current.values()].reduce((bytes, one) => bytes + one, content.size);
    if (content.size === 0 || sum > LARGEST_BYTES) {
      setProblem(t(content.size ? "attach.too_large" : "attach.empty", { size: megabytes(content.size ? sum : 0), most: megabytes(LARGEST_BYTES) }));
      return;
    }
    setProblem(null);
    const id = ++last.current;
    chosen.current.set(id, content.size);
    setAll((old) => [...old, { id, content, share: 0, upload: null, error: null }]);
    void send({ id, content });
  };
  const remove = (id: number) => {
    chosen.current.delete(id);
    setAll((old) => old.filter((one) => one.id !== id));
  };
  const clear = () => {
    chosen.current.clear();
    setAll([]);
  };
  return { all, problem, isBusy: all.some((one) => !one.upload), add, retry: (file) => void send(file), remove, clear };
}

export function FileList({ files }: { files: Files }) {
  return (
    <>
      {files.problem && (
        <p class="field-problem" role="alert">
          {files.problem}
        </p>
      )}
      {files.all.map((file) => (
        <div key={file.id}>
          <div class="attached">
            <Icon name="file" />
            <span class="attached-name">
              {file.content.name} <span class="quiet">{megabytes(file.content.size)}</span>
            </span>
            {!file.upload && !file.error && <progress value={file.share} max={1} aria-label={t("attach.progress")} />}
            {file.upload && <span class="quiet">{t("attach.ready")}</span>}
            <IconButton icon="close" label={t("attach.remove")} onClick={() => files.remove(file.id)} />
          </div>
          {file.error && <ErrorNotice error={file.error} onRetry={() => files.retry(file)} />}
        </div>
      ))}
    </>
  );
}
