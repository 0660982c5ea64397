// The first section of the overview: what needs a person now, with the way there.

import { placeOf } from "../../shell/router";
import { t, tn } from "../../texts/texts";
import { isWhole, needsOf, type Known, type Need } from "./attention";

const TEXTS = {
  alarms: "ops.attention.alarms",
  dead_letters: "ops.attention.dead_letters",
  queues: "ops.attention.queues",
  conservation: "ops.attention.conservation",
} as const;

export function AttentionNow({ known }: { known: Known }) {
  const needs = needsOf(known);
  return (
    <section class="ops-section" aria-label={t("ops.attention")}>
      <header class="ops-head">
        <h2>{t("ops.attention")}</h2>
      </header>
      {needs.length > 0 && (
        <ul class="ops-figures">
          {needs.map((need) => (
            <li key={need.place} class="ops-figure">
              <Way need={need} />
            </li>
          ))}
        </ul>
      )}
      <p role="status" class="quiet">
        {!isWhole(known) ? t("ops.attention.partly") : needs.length === 0 && t("ops.attention.none")}
      </p>
    </section>
  );
}

// Dead letters have a part of their own; the other places are sections of this one.
function Way({ need: { place, count } }: { need: Need }) {
  const text = tn(TEXTS[place], count);
  if (place === "dead_letters") return <a class="link" href={placeOf("operations", "parked")}>{text}</a>;
  return (
    <button type="button" class="link" onClick={() => document.getElementById(`ops-${place}`)?.focus()}>
      {text}
    </button>
  );
}
