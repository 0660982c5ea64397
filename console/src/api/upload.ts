// Uploads a file by a signed form of the API. XMLHttpRequest, because fetch reports no progress of a request.

import { ApiError } from "./errors";

export interface Form {
  url: string;
  fields: Record<string, string>;
}

export function upload(form: Form, file: File, onProgress: (share: number) => void, signal: AbortSignal): Promise<void> {
  const body = new FormData();
  for (const [name, value] of Object.entries(form.fields)) body.append(name, value);
  body.append("file", file); // last: the store ignores fields after it
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const failed = (status: number) => reject(new ApiError(status, status === 0 ? "network" : "upload_refused", `HTTP ${status}`, status === 0 || status >= 500));
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => (request.status < 300 ? resolve() : failed(request.status));
    request.onerror = () => failed(0);
    request.onabort = () => reject(new ApiError(0, "aborted", "the upload was stopped", true));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", form.url);
    request.send(body);
  });
}
