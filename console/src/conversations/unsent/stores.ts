// The unsent messages and files of this tab.

import type { Client, Routes } from "../../api/client";
import { asApiError, type ApiError } from "../../api/errors";
import { t } from "../../texts/texts";
import { showToast } from "../../ui/toastList";
import { draftOf, formsOf, keepDraft } from "../drafts";
import { KeptFiles } from "./keptFiles";
import { Outbox, type Failure } from "./outbox";

export type Body = NonNullable<Routes["POST /whatsapp/conversations/{key}/messages"]["body"]>;
export type Messages = Outbox<Body>;

const UNSENT = "unsent:";
const FILES = "files:";

export function outboxOf(client: Client): Messages {
  return new Outbox<Body>({
    read: (form) => draftOf(UNSENT + form),
    write: (form, text) => keepDraft(UNSENT + form, text),
    send: async (form, { key, body }) => {
      const { result } = await client.call("POST /whatsapp/conversations/{key}/messages", { path: { key: form }, body, key });
      return result.actionId;
    },
    failureOf: (failure) => failureOf(asApiError(failure)),
    onUnseenFailure: () => showToast(t("unsent.elsewhere")),
    pause: (ms) => new Promise((done) => setTimeout(done, ms)),
    now: Date.now,
  });
}

// Goes on with what a reload or a login interrupted.
export function resume(outbox: Messages): void {
  for (const form of formsOf(UNSENT)) void outbox.run(form);
}

function failureOf({ status, code, message, details, retryAfterSeconds, newer }: ApiError): Failure {
  return { status, code, message, details, retryAfterSeconds, newer };
}

const ports = {
  read: (form: string) => draftOf(FILES + form),
  write: (form: string, text: string) => keepDraft(FILES + form, text),
  problemOf: asApiError,
  now: Date.now,
};

export const files = new KeptFiles<string, ApiError>(ports); // WhatsApp: one per message
export const mailFiles = new KeptFiles<{ upload: string; filename: string }, ApiError>(ports);
