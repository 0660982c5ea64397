// The open conversation, by its context.

import { AiConversation } from "../conversations/ai/AiConversation";
import { EmailThread } from "../conversations/email/EmailThread";
import { WhatsAppConversation } from "../conversations/whatsapp/WhatsAppConversation";
import { t } from "../texts/texts";
import { Empty } from "../ui/controls";
import type { Context } from "./source";

export function Conversation({ context, id, back }: { context: Context; id: string; back: string }) {
  switch (context) {
    case "whatsapp":
      return <WhatsAppConversation id={id} back={back} />;
    case "conversations":
      return <AiConversation id={id} back={back} />;
    case "email_threads":
      return <EmailThread id={id} back={back} />;
    default:
      return (
        <main class="pane">
          <Empty icon="search" title={t("state.no_page")} />
        </main>
      );
  }
}
