// Ends the session at the API, at the login provider, and here.

import type { Client } from "../api/client";
import { ApiError } from "../api/errors";
import type { App } from "../app";

const WITHIN_MS = 5_000;

export async function signOut({ client, live, session }: App): Promise<void> {
  live.stop();
  // Another person may sign in here; the API forgets this browser with the session.
  await forgetBrowser().catch(() => undefined); // a browser that refuses this must not keep the session
  session.signOut(await isEnded(client));
}

async function forgetBrowser(): Promise<void> {
  for (const one of (await navigator.serviceWorker?.getRegistrations()) ?? []) await one.unregister();
}

async function isEnded(client: Client): Promise<boolean> {
  try {
    await client.call("POST /sign-out", { body: {}, signal: AbortSignal.timeout(WITHIN_MS) });
    return true;
  } catch (failure) {
    // The API no longer accepted the token.
    return failure instanceof ApiError && failure.status === 401;
  }
}
