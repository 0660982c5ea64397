// Files of a mail: checked, uploaded at once by the signed form, and named in the draft.

import { useState } from "preact/hooks";
import type { ApiError } from "../../api/errors";
import { upload } from "../../api/upload";
import { useApp } from "../../app";
import { megabytes } from "../../texts/format";
import { t } from "../../texts/texts";
import { useKeptFiles } from "../unsent/hooks";
import type { KeptFile, Send } from "../unsent/keptFiles";
import { mailFiles } from "../unsent/stores";
import { AttachedFile } from "../whatsapp/composer/Attachment";

// LARGEST_BYTES of functions/email_threads/api/drafts/files.py, of all files of a mail.
const LARGEST_BYTES = 7 * 1_048_576;

interface Uploaded {
  upload: string;
  filename: string;
}
type Attached = KeptFile<Uploaded, ApiError>;

export interface Files {
  all: readonly Attached[];
  problem: string | null;
  isBusy: boolean; // a file is not uploaded
  add: (content: File) => void;
  retry: (file: Attached) => void;
  remove: (id: number) => void;
  clear: () => void;
}

export function useFiles(thread: string): Files {
  const { client } = useApp();
  const all = useKeptFiles(mailFiles, thread);
  const [problem, setProblem] = useState<string | null>(null);
  const sendOf = (content: File): Send<Uploaded> => async (onShare, signal) => {
    const type = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/.test(content.type) ? content.type : "application/octet-stream";
    const body = { filename: content.name.slice(-120), content_type: type };
    const form = (await client.call("POST /email-threads/{conversation_id}/uploads", { path: { conversation_id: thread }, body, signal })).result;
    await upload(form, content, onShare, signal);
    return { upload: form.upload, filename: form.filename };
  };
  const add = (content: File) => {
    // Of the store: several files may be dropped at once.
    const sum = mailFiles.of(thread).reduce((bytes, one) => bytes + one.bytes, content.size);
    if (content.size === 0 || sum > LARGEST_BYTES) {
      setProblem(t(content.size ? "attach.too_large" : "attach.empty", { size: megabytes(content.size ? sum : 0), most: megabytes(LARGEST_BYTES) }));
      return;
    }
    setProblem(null);
    void mailFiles.add(thread, content, sendOf(content));
  };
  return {
    all,
    problem,
    isBusy: all.some((one) => !one.upload),
    add,
    retry: ({ id, content }) => void (content && mailFiles.start(thread, id, sendOf(content))),
    remove: (id) => mailFiles.remove(thread, id),
    clear: () => mailFiles.clear(thread),
  };
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
          <AttachedFile file={file} onRetry={() => files.retry(file)} onRemove={() => files.remove(file.id)} />
        </div>
      ))}
    </>
  );
}
