import type { Client } from "../api/client";
import type { Actions } from "../api/routes";

// The WhatsApp accounts of the company's numbers, by Meta's ids.
export async function accountsOf(client: Client, signal: AbortSignal): Promise<string[]> {
  const { numbers } = (await client.call("GET /whatsapp/numbers", { signal })).result;
  return [...new Set(numbers.flatMap(({ waba }) => (waba ? [waba] : [])))];
}

// The newest campaigns of each account.
export async function campaignsOf(client: Client, most: number, signal: AbortSignal): Promise<Actions.CampaignView[]> {
  const accounts = await accountsOf(client, signal);
  const answers = await Promise.all(
    accounts.map((metaWabaId) => client.call("POST /whatsapp/actions/get_campaigns", { body: { metaWabaId, limit: most }, signal })),
  );
  return answers.flatMap(({ result }) => result.campaigns);
}
