// The error body of all APIs (shared/api/errors.py), and failures without one.

import { ruleOf } from "../texts/problems";
import { t } from "../texts/texts";

export interface Problem {
  field?: string;
  problem?: string;
}

export function isOf({ field = "" }: Problem, whole: string): boolean {
  return field === whole || field.startsWith(`${whole}.`);
}

// What came after the position that a call named.
export interface Newer {
  position: string;
  id: string;
  by: string | null;
}

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no answer
    readonly code: string,
    message: string,
    readonly retryable: boolean,
    readonly details: Problem[] = [],
    readonly retryAfterSeconds: number | null = null,
    readonly requestId: string | null = null,
    readonly newer: Newer | null = null,
  ) {
    super(message);
  }

  // Of a field, or of a part of it: `websites.0`.
  problemOf(field: string): string | null {
    return this.details.find((problem) => isOf(problem, field))?.problem ?? null;
  }
}

// An undo after a colleague's change, which it would take back, too.
export function changedMeanwhile(): ApiError {
  return new ApiError(409, "state_conflict", "", false);
}

interface Body {
  error?: { code?: string; message?: string; retryable?: boolean; retry_after?: number; details?: Problem[]; newer?: Newer; provider?: { title?: string; message?: string } };
  request_id?: string;
}

export async function errorOf(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => ({}))) as Body;
  const error = body.error ?? {};
  const said = error.provider?.message ?? error.provider?.title;
  return new ApiError(
    answer.status,
    error.code ?? "unexpected",
    error.message ?? `HTTP ${answer.status}`,
    error.retryable ?? answer.status >= 500,
    [...(error.details ?? []), ...(said ? [{ problem: said }] : [])].map(({ field, problem }: Problem) => ({ ...(field ? { field } : {}), ...(problem ? { problem: inWords(problem) } : {}) })),
    error.retry_after ?? null,
    body.request_id ?? null,
    error.newer ?? null,
  );
}

function inWords(problem: string): string {
  const rule = ruleOf(problem);
  return rule ? t(rule.key, rule.values) : problem;
}

export function asApiError(failure: unknown): ApiError {
  if (failure instanceof ApiError) return failure;
  return new ApiError(0, "network", failure instanceof Error ? failure.message : String(failure), true);
}
