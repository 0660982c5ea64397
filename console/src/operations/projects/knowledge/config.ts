// The switches of a project's search in documents, as fields. Pure.

export interface Entered {
  enabled: boolean;
  sourcesRequired: boolean;
  minScore: string; // empty: the default of the retriever
  topics: string; // with commas between them
}

type Config = Record<string, unknown>;

export function enteredOf(config: Config): Entered {
  const { enabled, sources_required: required, min_score: score } = config;
  return {
    enabled: enabled === true,
    sourcesRequired: required !== false,
    minScore: typeof score === "number" ? String(score) : "",
    topics: topicsOf(config).join(", "),
  };
}

// The setting with what was entered; the retriever and its knowledge base stay.
export function configOf({ enabled, sourcesRequired, minScore, topics }: Entered, before: Config): Config {
  const { min_score: _score, topics: _topics, ...others } = before;
  const named = namesIn(topics);
  return {
    ...others,
    enabled,
    sources_required: sourcesRequired,
    ...(minScore.trim() ? { min_score: Number(minScore) } : {}),
    ...(named.length ? { topics: named } : {}),
  };
}

export function topicsOf({ topics }: Config): string[] {
  return Array.isArray(topics) ? topics.map(String) : [];
}

export function namesIn(text: string): string[] {
  return text.split(",").map((one) => one.trim()).filter(Boolean);
}

// Whether the answers of a project read a document: without topics they read all.
export function reads(topics: string[], { topics: own }: { topics: string[] }): boolean {
  return topics.length === 0 || own.some((one) => topics.includes(one));
}
