// Authorization code with PKCE (RFC 7636). Only the verifier outlives the page, until the code is exchanged.

import { PAGE, type Login } from "./config";

const PENDING = "parley:login";

interface Pending {
  verifier: string;
  state: string;
  place: string; // the fragment to return to
}

export interface Tokens {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
  expires_in?: number;
}

export class LoginFailed extends Error {}

export async function goToLogin(login: Login, place: string): Promise<void> {
  const pending: Pending = { verifier: random(), state: random(), place };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const address = new URL(login.authorizeUrl);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: login.clientId,
    redirect_uri: PAGE,
    scope: login.scopes,
    state: pending.state,
    code_challenge: await challenge(pending.verifier),
    code_challenge_method: "S256",
  }).toString();
  location.assign(address);
}

// The tokens of a login that has just returned to this page, and the place to go on at; null on other visits.
export async function returnFromLogin(login: Login): Promise<{ tokens: Tokens; place: string } | null> {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has("code") && !parameters.has("error")) return null;
  const stored = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  history.replaceState(null, "", PAGE);
  const pending = stored ? (JSON.parse(stored) as Pending) : null;
  const code = parameters.get("code");
  // Without the state of this page, the code belongs to a login that another page started.
  if (!code || !pending || parameters.get("state") !== pending.state) {
    throw new LoginFailed(parameters.get("error_description") ?? parameters.get("error") ?? "state");
  }
  const tokens = await exchange(login, {
    grant_type: "authorization_code",
    code,
    redirect_uri: PAGE,
    code_verifier: pending.verifier,
  });
  return { tokens, place: pending.place };
}

export function refreshed(login: Login, refreshToken: string): Promise<Tokens> {
  return exchange(login, { grant_type: "refresh_token", refresh_token: refreshToken });
}

// The page is about to be left: nothing waits for the answer, and the provider need not share it with this origin.
export function revoke(login: Login, refreshToken: string): void {
  if (!login.revokeUrl) return;
  const body = new URLSearchParams({ client_id: login.clientId, token: refreshToken });
  void fetch(login.revokeUrl, { method: "POST", mode: "no-cors", keepalive: true, body }).catch(() => undefined);
}

export function goToLogout(login: Login): void {
  if (!login.logoutUrl) return location.assign(PAGE);
  const address = new URL(login.logoutUrl);
  const back = login.provider === "cognito" ? { logout_uri: PAGE } : { post_logout_redirect_uri: PAGE };
  address.search = new URLSearchParams({ client_id: login.clientId, ...back }).toString();
  location.assign(address);
}

async function exchange(login: Login, fields: Record<string, string>): Promise<Tokens> {
  const body = new URLSearchParams({ client_id: login.clientId, ...fields });
  const answer = await fetch(login.tokenUrl, { method: "POST", body });
  if (answer.status >= 500 || answer.status === 429) throw new Error(`HTTP ${answer.status}`);
  if (!answer.ok) throw new LoginFailed(`HTTP ${answer.status}`);
  return (await answer.json()) as Tokens;
}

function random(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challenge(verifier: string): Promise<string> {
  return base64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
