// The person's rating of an answer of the model, with a reason if it is a bad one, beside those of colleagues. A second
// click on the own rating takes it back.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { actor } from "../../../texts/format";
import { named, t } from "../../../texts/texts";
import { Button, Choices, ErrorNotice } from "../../../ui/controls";
import type { Message } from "../conversationState";
import "./rating.css";

type Given = Pick<ConversationsAdmin.RatingInput, "rating" | "reason">;

const UP = "rated_up"; // values of the API
const DOWN = "rated_down";
const REASONS = ["wrong", "incomplete", "tone", "language", "not_needed", "other"] as const;

interface Props {
  conversation: string;
  message: Message;
  me: string;
  onChange: () => void;
}

export function Rating({ conversation, message, me, onChange }: Props) {
  const { client } = useApp();
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState<(typeof REASONS)[number] | null>(null);
  let given: Given = { rating: null };
  const rate = useAction(async () => {
    await client.call("POST /conversations/{ref}/ratings", { path: { ref: conversation }, body: { entry_id: message.entry_id, ...given } });
    setAsks(false);
    onChange();
  });
  const give = (one: Given) => {
    given = one;
    void rate.run();
  };
  const own = message.ratings[me] ?? "";
  const isDown = own.startsWith(DOWN);
  const others = Object.entries(message.ratings).filter(([who]) => who !== me);
  return (
    <div class="rating">
      <div class="rating-thumbs" role="group" aria-label={t("rating.label")}>
        <Button kind="quiet" label={t("rating.up")} pressed={own === UP} busy={rate.busy} onClick={() => give({ rating: own === UP ? null : "up" })}>
          <Thumb />
        </Button>
        <Button kind="quiet" label={t("rating.down")} pressed={isDown} busy={rate.busy} onClick={() => (isDown ? give({ rating: null }) : setAsks(!asks))}>
          <Thumb isDown />
        </Button>
      </div>
      {own !== "" && <p class="bubble-note">{t("rating.own", { rating: textOf(own) })}</p>}
      {others.map(([who, rating]) => (
        <p key={who} class="bubble-note">
          {t("rating.of", { who: actor(who, me), rating: textOf(rating) })}
        </p>
      ))}
      {rate.error && <ErrorNotice error={rate.error} />}
      {asks && (
        <form
          class="resolve"
          onSubmit={(event) => {
            event.preventDefault();
            if (reason) give({ rating: "down", reason });
          }}
        >
          <Choices legend={t("rating.why")} name={`rating-${message.entry_id}`} values={REASONS} textOf={(one) => t(`rating.reason.${one}`)} chosen={reason} onChoose={setReason} />
          <Button kind="primary" type="submit" busy={rate.busy} disabled={!reason}>
            {t("rating.save")}
          </Button>
        </form>
      )}
    </div>
  );
}

function textOf(rating: string): string {
  const reason = rating.split(":")[1];
  return reason ? t("rating.down_for", { reason: named("rating.reason", reason) }) : t("rating.up");
}

function Thumb({ isDown = false }: { isDown?: boolean }) {
  return (
    <svg class="icon" width={16} height={16} viewBox="0 0 24 24" aria-hidden="true">
      <path transform={isDown ? "rotate(180 12 12)" : undefined} d="M7.5 11 11 4.5a2 2 0 0 1 2 2V10h5a1.5 1.5 0 0 1 1.5 1.800l-1.2 6A1.5 1.5 0 0 1 16.800 19H7.5zM4.500 11h3v8h-3z" />
    </svg>
  );
}
