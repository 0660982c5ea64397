// The delivery state of a sent message: a sign that opens the times of all states.

import { useState } from "preact/hooks";
import { clock, moment } from "../../../texts/format";
import { named } from "../../../texts/texts";
import { Icon, type IconName } from "../../../ui/icons";
import type { Message } from "../conversationData";

const STATES: Record<string, IconName> = { sent: "check", delivered: "checks", read: "checks", failed: "alert" };

interface Reached {
  status: string;
  at: string;
}

export function stateOf(message: Message): string | null {
  return message.deliveryStatus ?? (message.sendState === "unknown" ? "unknown" : null);
}

export function DeliverySign({ state, history }: { state: string; history: unknown }) {
  const [isOpen, setOpen] = useState(false);
  const reached = (history ?? []) as Reached[];
  const name = named("delivery", state);
  return (
    <>
      {isOpen &&
        reached.map(({ status, at }) => (
          <time key={status + at} class="delivery-time" dateTime={at} title={moment(at)}>
            {named("delivery", status)} {clock(at)}
          </time>
        ))}
      <button
        type="button"
        class={`delivery delivery-${state}`}
        aria-label={name}
        title={name}
        aria-expanded={isOpen}
        disabled={!reached.length}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={STATES[state] ?? "clock"} size={15} />
      </button>
    </>
  );
}
