// Changes of newsletters, whose refusals are said in the person's language: also the rules that only newsletters have.

import { useMemo } from "preact/hooks";
import { ApiError } from "../api/errors";
import { useAction, type Action } from "../api/resource";
import { t, type Key } from "../texts/texts";

// As the API says them; pydantic puts "Value error" before some.
const RULES: readonly (readonly [RegExp, Key])[] = [
  [/http or https address/, "newsletter.problem.url"],
  [/^must not be encrypted$/, "newsletter.unreadable.encrypted"],
  [/^must have text: a scan has none$/, "newsletter.unreadable.no_text"],
  [/^is too long to be read$/, "newsletter.unreadable.document_too_large"],
  [/^must be the file that the end of its name says$|^must be text: this is the content of/, "newsletter.unreadable.file_of_another_kind"],
  [/^must be a file that can be read$/, "newsletter.unreadable.damaged"],
  [/^must have at most \d+ bytes/, "newsletter.documents.refused.size"],
  [/^must be of a domain that the company owns$/, "newsletter.problem.domain"],
  [/^must be at least a minute ahead/, "newsletter.problem.ahead"],
  [/^must be at least 15 minutes after/, "newsletter.problem.not_after"],
  [/^not with a subject test/, "newsletter.problem.zone_and_test"],
  [/^must be a date and time as/, "problem.date"],
  [/^must name a type$|^is neither a type nor a custom topic$/, "newsletter.problem.topics"],
  [/^is the name of (?:a type|another custom topic)$|^is the same type as entry/, "newsletter.problem.twice"],
  [/^needs a contrast of/, "newsletter.problem.contrast"],
  [/^must be an address of a picture/, "newsletter.problem.https"],
  [/^a logo needs both/, "newsletter.problem.logo"],
  [/^may have paragraphs, lists/, "newsletter.problem.markdown"],
  [/^must be a template$/, "newsletter.problem.look"],
  [/^a new item needs a title$/, "problem.required"],
];

export function useChange(act: () => Promise<unknown>): Action {
  const action = useAction(act);
  const error = useMemo(() => inOwnWords(action.error), [action.error]);
  return { ...action, error };
}

function inOwnWords(error: ApiError | null): ApiError | null {
  if (!error?.details.length) return error;
  const details = error.details.map((one) => {
    const rule = RULES.find(([words]) => words.test(one.problem ?? ""));
    return rule ? { ...one, problem: t(rule[1]) } : one;
  });
  return new ApiError(error.status, error.code, error.message, error.retryable, details, error.retryAfterSeconds, error.requestId, error.newer);
}
