// A voice call in the timeline.

import { actor, clock, minutesAndSeconds } from "../../../../texts/format";
import { t, type Key } from "../../../../texts/texts";
import { Icon } from "../../../../ui/icons";
import { NoteText } from "../../../../ui/notes/NoteText";
import type { Call } from "../../conversationData";

export function CallLine({ call, me }: { call: Call; me: string | null }) {
  const isOurs = call.direction === "BUSINESS_INITIATED";
  const state = call.missed ? "missed" : call.status;
  const facts = [
    t(`call.state.${state}` as Key),
    call.duration != null && minutesAndSeconds(call.duration),
    call.agentId && actor(call.agentId, me),
  ];
  return (
    <div class="call">
      <Icon name="phone" size={16} />
      <div>
        <p>
          <b>{t(isOurs ? "call.outgoing" : "call.incoming")}</b> {facts.filter(Boolean).join(" · ")} ·{" "}
          <time dateTime={call.startedAt}>{clock(call.startedAt)}</time>
        </p>
        {call.note && <NoteText text={call.note} />}
      </div>
    </div>
  );
}
