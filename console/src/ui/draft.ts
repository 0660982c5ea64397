// The text of a form until it is sent.

import { useEffect, useState } from "preact/hooks";
import { draftOf, forgetKey, keepDraft, keyOf, onDrafts, withoutSent } from "../conversations/drafts";

export interface Draft {
  text: string;
  write: (text: string) => void;
  keyFor: (content: unknown) => string; // the Idempotency-Key of a content: a repeat after a lost answer has the same one
  sent: (text: string) => void; // to be called after the API has accepted a text; keeps what was typed meanwhile
}

export function useDraft(form: string): Draft {
  const [text, setText] = useState(() => draftOf(form));
  // A text that was sent from another page of the same conversation is no draft here either.
  useEffect(() => onDrafts(() => setText(draftOf(form))), [form]);
  return {
    text,
    write: (next) => {
      setText(next);
      keepDraft(form, next);
      // A text that is written again after it was deleted is another one.
      if (!next) forgetKey(form);
    },
    keyFor: (content) => keyOf(form, JSON.stringify(content)),
    sent: (whole) => {
      forgetKey(form);
      keepDraft(form, withoutSent(draftOf(form), whole));
    },
  };
}
