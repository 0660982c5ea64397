// The open conversation, by its context.

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { WhatsAppConversation } from "../conversations/whatsapp/WhatsAppConversation";
import { loadTexts, t } from "../texts/texts";
import { Empty } from "../ui/controls";
import { Later } from "../ui/Later";
import type { Context } from "./source";

type Shown = ComponentType<{ id: string; back: string }>;

// Companies without these contexts do not load their parts of the page.
const LOADS: Partial<Record<string, () => Promise<Shown>>> = {
  conversations: async () => (await import("../conversations/ai/AiConversation")).AiConversation,
  email_threads: async () => (await Promise.all([import("../conversations/email/EmailThread"), loadTexts("mail")]))[0].EmailThread,
};
const loaded = new Map<string, Shown>([["whatsapp", WhatsAppConversation]]);

async function load(context: Context): Promise<Shown> {
  const shown = loaded.get(context) ?? (await LOADS[context]!());
  loaded.set(context, shown);
  return shown;
}

// What conversations of these contexts are shown by is loaded before one of them is opened. A failure is left to the
// opening, which says so.
export function loadBefore(contexts: Iterable<Context>): void {
  for (const context of new Set(contexts)) load(context).catch(() => undefined);
}

// Of one conversation: another one has another key.
export function Conversation({ context, id, back }: { context: Context; id: string; back: string }) {
  const [Known] = useState(() => loaded.get(context));
  if (Known) return <Known id={id} back={back} />;
  if (LOADS[context]) return <Later isPage load={() => load(context)} show={(Shown) => <Shown id={id} back={back} />} />;
  return (
    <main class="pane">
      <Empty icon="search" title={t("state.no_page")} />
    </main>
  );
}
