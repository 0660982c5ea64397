// Who is signed in. Tokens are kept in memory only: they end with the page.

import type { Login } from "./config";
import { forgetDrafts, keepDraftsOf } from "../conversations/drafts";
import { companiesOf, type Membership } from "./groups";
import { goToLogin, goToLogout, LoginFailed, refreshed, returnFromLogin, revoke, type Tokens } from "./pkce";
import { returned } from "./returned";

export type SessionState = "out" | "in" | "ended";

export interface Person {
  principal: string; // as the API stores it: user:{id}
  name: string;
  companies: Membership[];
}

const EARLY_MS = 60_000; // a token is renewed before it ends, so that no call is refused
// The API refuses the tokens of the second in which sessions ended.
const NEXT_SECOND_MS = 1_100;
const UNCONFIRMED = "parley:sign-out-unconfirmed";

export class Session {
  state: SessionState = "out";
  person: Person | null = null;
  company: string | null = null;
  private access = "";
  private refresh: string | null = null;
  private endsAt = 0;
  private renewal: Promise<void> | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly login: Login | null) {}

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // Signs in if this page was opened by the login pages. Raises LoginFailed.
  async begin(): Promise<void> {
    const returned = this.login ? await returnFromLogin(this.login) : null;
    if (!returned) return;
    this.take(returned.tokens);
    if (returned.place) location.replace(returned.place);
  }

  signIn(): void {
    if (this.login) void goToLogin(this.login, location.hash);
  }

  // *isConfirmed*: the API has ended the session. Otherwise the page that follows says so.
  signOut(isConfirmed: boolean): void {
    forgetDrafts();
    if (!isConfirmed) sessionStorage.setItem(UNCONFIRMED, "1");
    if (this.login && this.refresh) revoke(this.login, this.refresh);
    this.access = "";
    this.refresh = null;
    if (this.login) goToLogout(this.login);
  }

  // Whether the API has not confirmed that the last session ended. Told once.
  takeUnconfirmed(): boolean {
    const isUnconfirmed = sessionStorage.getItem(UNCONFIRMED) !== null;
    sessionStorage.removeItem(UNCONFIRMED);
    return isUnconfirmed;
  }

  // The API or the login provider no longer accepts the token. Drafts stay.
  end(): void {
    if (this.state !== "in") return;
    this.access = "";
    this.refresh = null;
    this.become("ended");
  }

  // The teams of the person in the chosen company.
  get teams(): string[] {
    return this.person?.companies.find((one) => one.company === this.company)?.teams ?? [];
  }

  async headers(): Promise<Record<string, string>> {
    if (this.state === "in" && this.refresh && Date.now() > this.endsAt - EARLY_MS) {
      await (this.renewal ??= this.renew().finally(() => (this.renewal = null)));
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${this.access}` };
    if (this.company && (this.person?.companies.length ?? 0) > 1) headers["x-company"] = this.company;
    return headers;
  }

  // Whether there is another token than the one that the API refused: roles change, and a sign-out elsewhere ends all
  // tokens, but not this login.
  async renewAfter(refused: string): Promise<boolean> {
    const isOther = () => this.state === "in" && `Bearer ${this.access}` !== refused;
    if (isOther()) return true;
    if (this.state !== "in" || !this.refresh) return false;
    await new Promise((done) => setTimeout(done, NEXT_SECOND_MS));
    if (!isOther()) await (this.renewal ??= this.renew().finally(() => (this.renewal = null)));
    return isOther();
  }

  choose(company: string): void {
    this.company = company;
    this.tell();
  }

  private async renew(): Promise<void> {
    try {
      this.take(await refreshed(this.login!, this.refresh!));
    } catch (failure) {
      // Without an answer the token may still be valid; the next call tries again.
      if (failure instanceof LoginFailed) this.end();
    }
  }

  private take(tokens: Tokens): void {
    this.access = tokens.access_token;
    this.refresh = tokens.refresh_token ?? this.refresh;
    const claims = claimsOf(tokens.access_token);
    this.endsAt = Number(claims.exp ?? 0) * 1000 || Date.now() + (tokens.expires_in ?? 3600) * 1000;
    const shown = tokens.id_token ? claimsOf(tokens.id_token) : claims;
    this.person = {
      principal: `user:${String(claims.sub ?? "")}`,
      name: String(shown.name ?? shown.email ?? shown.username ?? claims.sub ?? ""),
      companies: companiesOf(claims[this.login?.groupsClaim ?? "groups"]),
    };
    keepDraftsOf(this.person.principal);
    // What a dialog gave back belongs to the company in which it was opened.
    const { companies } = this.person;
    this.company ??= (companies.find(({ company }) => company === returned()?.company) ?? companies[0])?.company ?? null;
    this.become("in");
  }

  private become(state: SessionState): void {
    this.state = state;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

// Read for display only: the API verifies each token.
function claimsOf(token: string): Record<string, unknown> {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)))) as Record<string, unknown>;
  } catch {
    return {};
  }
}
