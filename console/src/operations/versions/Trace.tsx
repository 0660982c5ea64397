// What a try of a version cost, and how the model came to it; the same for all contexts.

import type { ComponentChildren } from "preact";
import { t } from "../../texts/texts";

interface ModelCall {
  system: string;
  history: string[];
  answer: string;
  calls: string[];
}

export interface Traced {
  model: string;
  model_calls: ModelCall[];
  tokens_in: number;
  tokens_out: number;
  ms: number;
  dollars: string;
}

// children: what the context shows before the calls of the model.
export function Trace({ tried, children }: { tried: Traced; children?: ComponentChildren }) {
  return (
    <>
      <p class="quiet">{t("playground.cost", { model: tried.model, tokens: tried.tokens_in + tried.tokens_out, dollars: tried.dollars, ms: tried.ms })}</p>
      <details>
        <summary>{t("playground.trace")}</summary>
        {children}
        {tried.model_calls.map((call, position) => (
          <pre key={position} dir="auto">{[call.system, ...call.history, `→ ${call.answer}`, ...call.calls].join("\n")}</pre>
        ))}
      </details>
    </>
  );
}
