// What the page needs to know before a person has signed in.

export interface Login {
  authorizeUrl: string;
  tokenUrl: string;
  logoutUrl: string | null;
  revokeUrl: string | null;
  clientId: string;
  scopes: string;
  groupsClaim: string;
  provider: string;
}

export interface Config {
  apiUrl: string; // absolute here, with a slash at its end
  login: Login | null;
  liveUrl: string | null;
  stage: string;
}

// The page is /{stage}/console, without a slash at its end.
export const PAGE = new URL(location.pathname, location.origin).href;

export async function loadConfig(): Promise<Config> {
  const address = new URL("./console/config.json", PAGE);
  const answer = await fetch(address, { cache: "no-store" });
  if (!answer.ok) throw new Error(`config.json: ${answer.status}`);
  const config = (await answer.json()) as Config;
  return { ...config, apiUrl: new URL(`${config.apiUrl.replace(/\/$/, "")}/`, address).href };
}
