// A count of people: a call compares some contacts, and the cursor continues it.

import { useState } from "preact/hooks";
import type { ConsoleApi } from "../../api/routes";
import { useAction, type Action } from "../../api/resource";
import { locale, t } from "../../texts/texts";

export type List = ConsoleApi.ContactListView;

const CALLS_AT_ONCE = 5;

export interface Count extends Action {
  value: ConsoleApi.SegmentCount | null;
  forget: () => void;
}

interface Answer {
  result: ConsoleApi.SegmentCount;
  cursor: string | null;
}

// A second run goes on where the first one stopped.
export function useCount(call: (cursor: string | null) => Promise<Answer>): Count {
  const [found, setFound] = useState<Answer | null>(null);
  const action = useAction(async () => {
    let answer = found?.cursor ? found : null;
    for (let calls = 0; calls < CALLS_AT_ONCE; calls += 1) {
      answer = await call(answer?.cursor ?? null);
      setFound(answer);
      if (!answer.cursor) return;
    }
  });
  return { ...action, value: found?.result ?? null, forget: () => setFound(null) };
}

export function CountText({ count }: { count: Count }) {
  if (!count.value) return null;
  const values = { people: count.value.people.toLocaleString(locale), compared: count.value.compared.toLocaleString(locale) };
  return <p role="status">{t(count.value.exact ? "segment.exact" : "segment.so_far", values)}</p>;
}
