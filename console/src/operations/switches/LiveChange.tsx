// The change of a live switch: says what it does and who is affected, asks first, and can be undone.

import type { ComponentChildren } from "preact";
import type { Client } from "../../api/client";
import { useAction, useResource } from "../../api/resource";
import { t } from "../../texts/texts";
import { showToast } from "../../ui/toastList";
import { Confirm } from "../sections";

export interface LiveChangeProps {
  title: string;
  button: string;
  from: string; // the values before and after, in words
  to: string;
  effect: string; // what the change does
  affected?: (signal: AbortSignal) => Promise<string>; // who is affected, counted now
  set: () => Promise<unknown>;
  back: (() => Promise<unknown>) | null; // sets the value before; null: the API has no way back
  done: string; // the toast
  children?: ComponentChildren;
  onClose: () => void;
  onChanged: () => unknown; // after the change, and after its undo
}

export function LiveChange({ title, button, from, to, effect, affected, set, back, done, children, onClose, onChanged }: LiveChangeProps) {
  const change = useAction(async () => {
    await set();
    const undo = async () => {
      await back?.();
      await onChanged();
    };
    showToast(done, back && undo);
    await onChanged();
  });
  return (
    <Confirm title={title} action={change} button={button} onClose={onClose} onDone={onClose}>
      <p>
        {t("live.from_to")} <bdi>{from}</bdi> → <b><bdi>{to}</bdi></b>
      </p>
      <p>{effect}</p>
      {affected && <Affected count={affected} />}
      {children}
      <p class="quiet">{t(back ? "live.undo" : "live.no_undo")}</p>
    </Confirm>
  );
}

// A count that cannot be read does not hold the change up, and is not shown as none.
export function Affected({ count }: { count: (signal: AbortSignal) => Promise<string> }) {
  const counted = useResource(count, []);
  if (counted.error) return <p class="notice">{t("live.not_counted")}</p>;
  return <p role="status">{counted.value ?? t("live.counting")}</p>;
}

// The conversations of a context that are open now, and those whose customer waits.
export function openOf(client: Client, context: "whatsapp" | "conversations" | "email_threads") {
  return async (signal: AbortSignal): Promise<string> => {
    const { backlog, complete } = (await client.call("GET /reports/backlog", { query: { context }, signal })).result;
    const sum = (name: "open" | "waiting") => backlog.reduce((total, one) => total + one[name], 0);
    return t(complete ? "live.open" : "live.open_at_least", { count: sum("open"), waiting: sum("waiting") });
  };
}
