// A scenario from a tried step of a newsletter. Pure.

import type { NewslettersApi } from "../../api/routes";
import { nameOf, parsed, type Scenario } from "../../operations/versions/scenarios";
import type { Newsletter } from "../source";

export type Tried = NewslettersApi.StepTrialView;

const CONFIGURED = ["title", "description", "language", "target_audience", "length_preference", "frequency", "geographic_focus"] as const;
const FEWEST_WORDS = 20;
const MOST_WORDS = 2_000;

// The newsletter as it was tried, with the model's answer as the recorded one. *section* is the id of the written one.
export function scenarioOfStep({ metadata, topics, outline }: Newsletter, tried: Tried, section: string, at: string): Scenario {
  const numbers = new Map(tried.passages.map(({ chunk_id }, position) => [chunk_id, position + 1]));
  const fallback = topics.selected_types[0] ?? "";
  const passages = tried.passages.map(({ topic, title, date, url, text }) => ({ topic: topic ?? fallback, title, date, url, text }));
  const written = outline.sections.find(({ id }) => id === section);
  const words = Math.min(MOST_WORDS, Math.max(FEWEST_WORDS, (tried.text ?? "").split(/\s+/).length));
  const items = (written?.items ?? [])
    .filter(({ included }) => included)
    .map(({ title, description, user_notes, rag_reference_ids }) => ({
      title,
      description,
      notes: user_notes,
      passages: (rag_reference_ids ?? []).flatMap((id) => numbers.get(id) ?? []),
    }));
  const newsletter = {
    ...Object.fromEntries(CONFIGURED.map((name) => [name, metadata[name]])),
    custom_topics: topics.custom_topics.map(({ name, query, kind }) => ({ name, query, kind })),
    passages,
    ...(tried.step === "section" && written && { section: { name: written.name, kind: written.kind, words, items } }),
  };
  const answers = tried.model_calls.map(({ answer }) => parsed(answer) ?? {});
  const verdicts = answers.findLast((one) => "verdicts" in one);
  const own = answers.findLast((one) => !("verdicts" in one));
  const cites = tried.passages.filter(({ cited, title }) => cited && title).map(({ title }) => title);
  const expect = { hands_off: tried.findings.some(({ severity }) => severity === "warning"), cites };
  return { kind: "newsletter", name: nameOf(at, written?.name ?? metadata.title), step: tried.step, newsletter, answer: { ...own, ...verdicts }, expect };
}
