// Pushes to this browser while no page is open. The choice is the browser's subscription itself.

import type { Client } from "../api/client";
import { t } from "../texts/texts";
import icon from "../ui/images/icon.svg";
import address from "./pushWorker?worker&url";

export const isPushPossible = "serviceWorker" in navigator && "PushManager" in window;

export async function isPushed(): Promise<boolean> {
  return (await subscription()) !== null;
}

// Throws what the browser and the API refuse.
export async function startPushes(client: Client, teams: readonly string[]): Promise<void> {
  const registration = await navigator.serviceWorker.register(scriptAddress());
  const { key } = (await client.call("GET /inbox/notifications/push")).result;
  const known = await registration.pushManager.getSubscription();
  if (known && keyOf(known) !== key) await known.unsubscribe();
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await client.call("POST /inbox/notifications/push", { body: { endpoint: made.endpoint, teams: [...teams] } });
}

export async function endPushes(client: Client): Promise<void> {
  const known = await subscription();
  if (!known) return;
  await known.unsubscribe();
  await client.call("POST /inbox/notifications/push/end", { body: { endpoint: known.endpoint } });
}

// For another sixty days, and with the teams and the key of now.
export async function refreshPushes(client: Client, teams: readonly string[]): Promise<void> {
  if (isPushPossible && (await isPushed())) await startPushes(client, teams);
}

async function subscription(): Promise<PushSubscription | null> {
  const found = await navigator.serviceWorker.getRegistration(address);
  return (await found?.pushManager.getSubscription()) ?? null;
}

function keyOf(known: PushSubscription): string {
  const bytes = new Uint8Array(known.options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(text: string): string }): { createScriptURL(text: string): string };
}

let made: string | undefined;

// Browsers with trusted types register only what a policy has made; the page's policy permits this one.
function scriptAddress(): string {
  if (made) return made;
  const file = new URL(address, location.href);
  file.search = new URLSearchParams({ text: t("notifications.push_text"), icon: new URL(icon, location.href).href }).toString();
  const { trustedTypes } = window as { trustedTypes?: Policies };
  made = trustedTypes ? trustedTypes.createPolicy("push-worker", { createScriptURL: () => file.href }).createScriptURL("") : file.href;
  return made;
}
