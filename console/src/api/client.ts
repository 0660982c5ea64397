// Calls the API with the types of its OpenAPI documents. The types are generated: local/console/client.py.

import type { Session } from "../session/session";
import { ApiError, asApiError, errorOf } from "./errors";
import type { Routes } from "./routes";

export type { Routes } from "./routes";

export type Route = keyof Routes;
export type Result<R extends Route> = Routes[R]["answer"]["result"];

export interface Call<R extends Route> {
  path?: Record<string, string>;
  query?: Routes[R]["query"];
  body?: Routes[R]["body"];
  key?: string; // Idempotency-Key: the same one for a retry
  signal?: AbortSignal;
}

export interface Answer<T> {
  result: T;
  cursor: string | null;
}

export class Client {
  answeredAt = 0; // the time of the last call with any answer, in milliseconds; 0 for none
  // Called after each call: whether it had any answer.
  onAnswer: (isAnswered: boolean) => void = () => undefined;

  constructor(
    private readonly apiUrl: string,
    readonly session: Session,
  ) {}

  async call<R extends Route>(route: R, call: Call<R> = {}): Promise<Answer<Result<R>>> {
    const content = (await (await this.send(route, call)).json()) as { result: Result<R>; cursor?: string };
    return { result: content.result, cursor: content.cursor ?? null };
  }

  // The answer of a call that asks for another format than JSON.
  async text<R extends Route>(route: R, call: Call<R> = {}): Promise<string> {
    return (await this.send(route, call)).text();
  }

  private send<R extends Route>(route: R, call: Call<R>): Promise<Response> {
    const [method, pattern] = route.split(" ") as [string, string];
    const path = pattern.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(call.path?.[name] ?? ""));
    const address = new URL(path.slice(1), this.apiUrl);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined && value !== null && value !== "") address.searchParams.set(name, String(value));
    }
    return this.answerOf(address, method, { ...call, key: call.key ?? crypto.randomUUID() });
  }

  // Whether the network answers; what it answers does not matter.
  async probe(withinMs: number): Promise<boolean> {
    try {
      await fetch(new URL("console/config.json", this.apiUrl), { cache: "no-store", signal: AbortSignal.timeout(withinMs) });
      return true;
    } catch {
      return false;
    }
  }

  private async answerOf<R extends Route>(address: URL, method: string, call: Call<R>, isLast = false): Promise<Response> {
    const headers: Record<string, string> = { Accept: "application/json", ...(await this.session.headers()) };
    const init: RequestInit = { method, headers, cache: "no-store" };
    if (call.signal) init.signal = call.signal;
    if (method !== "GET") headers["Idempotency-Key"] = call.key!;
    if (call.body !== undefined && call.body !== null) {
      headers["Content-Type"] = "application/json";
      init.body = JSON.stringify(call.body);
    }
    let answer: Response;
    try {
      answer = await fetch(address, init);
    } catch (failure) {
      if (call.signal?.aborted) throw failure;
      this.onAnswer(false);
      throw asApiError(failure);
    }
    this.answeredAt = Date.now();
    this.onAnswer(true);
    if (answer.status === 401) {
      if (!isLast && (await this.session.renewAfter(headers.Authorization!))) return this.answerOf(address, method, call, true);
      this.session.end();
      throw new ApiError(401, "unauthenticated", "the session has ended", false);
    }
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }
}
