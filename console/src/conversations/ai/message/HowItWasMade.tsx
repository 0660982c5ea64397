// How the model came to a message: its calls, functions, sources, recorded answers, and what it cost.

import { t } from "../../../texts/texts";
import { Fact } from "../../../ui/frame";
import { Badge } from "../../../ui/controls";
import type { Message } from "../conversationState";

export function HowItWasMade({ message }: { message: Message }) {
  const answers = Object.entries(message.answers);
  return (
    <details class="history">
      <summary>{t("made.title")}</summary>
      <dl class="made">
        <Fact label={t("made.model")}>{message.model}</Fact>
        {message.ai_total_tokens != null && (
          <Fact label={t("made.tokens")}>
            {t("made.tokens_value", { read: message.ai_prompt_tokens ?? 0, written: message.ai_completion_tokens ?? 0, calls: message.calls ?? 1 })}
          </Fact>
        )}
        {message.ai_cached_tokens != null && (
          <Fact label={t("made.cached")}>{t("made.cached_value", { cached: message.ai_cached_tokens, read: message.ai_prompt_tokens ?? 0 })}</Fact>
        )}
        {message.ai_dollars != null && <Fact label={t("made.cost")}>{`$${message.ai_dollars}`}</Fact>}
        {message.processing_time_ms != null && <Fact label={t("made.time")}>{`${(message.processing_time_ms / 1000).toFixed(1)} s`}</Fact>}
        {message.price && <Fact label={t("made.price")}>{[message.price, message.currency].filter(Boolean).join(" ")}</Fact>}
        {message.segments != null && <Fact label={t("made.segments")}>{[message.segments, message.encoding].filter(Boolean).join(" · ")}</Fact>}
        {message.functions.length > 0 && <Fact label={t("made.functions")}>{message.functions.join(", ")}</Fact>}
        {message.sources.length > 0 && (
          <Fact label={t("made.sources")}>
            <ul>
              {message.sources.map((source) => (
                <li key={source.chunk_id}>
                  {source.chunk_id} <span class="quiet">{source.score}</span> {source.cited && <Badge kind="accent">{t("made.cited")}</Badge>}
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {answers.map(([question, answer]) => (
          <Fact key={question} label={t("made.answer", { question })}>
            {answer}
          </Fact>
        ))}
      </dl>
    </details>
  );
}
