// Whether a contact has opted out of a channel.

import type { Client } from "../../api/client";
import type { ConversationsAdmin } from "../../api/routes";

export type ChannelConsent = ConversationsAdmin.ChannelConsentView;

export async function consentOf(client: Client, recipient: string | null, channel: string, signal: AbortSignal): Promise<ChannelConsent | null> {
  if (!recipient) return null;
  const { result } = await client.call("POST /opt-outs/search", { body: { recipient }, signal });
  return result.channels.find((one) => one.channel === channel) ?? null;
}
