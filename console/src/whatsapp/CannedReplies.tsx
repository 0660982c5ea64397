import { useState } from "preact/hooks";
import type { WhatsappSending } from "../api/routes";
import { useResource } from "../api/resource";
import { useApp } from "../app";
import { t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { ErrorNotice, Menu, Skeleton } from "../ui/parts";
import type { Head } from "./data";

export function CannedReplies({ head, onChoose }: { head: Head; onChoose: (text: string) => void }) {
  return (
    <Menu label={t("canned.choose")} align="start" button={<Icon name="bolt" />}>
      {(close) => (
        <List
          onChoose={(reply) => {
            close();
            onChoose(filled(reply.text, head));
          }}
        />
      )}
    </Menu>
  );
}

function List({ onChoose }: { onChoose: (reply: WhatsappSending.CannedReplyView) => void }) {
  const { client } = useApp();
  const replies = useResource(async (signal) => (await client.call("GET /whatsapp/canned-replies", { signal })).result.cannedReplies, [client]);
  const [words, setWords] = useState("");
  if (replies.error) return <ErrorNotice error={replies.error} onRetry={() => void replies.reload()} />;
  if (replies.value === null) return <Skeleton rows={3} kind="row" />;
  const found = replies.value.filter((reply) => `${reply.name} ${reply.text}`.toLocaleLowerCase().includes(words.toLocaleLowerCase()));
  return (
    <div class="choices">
      <p class="choices-title">{t("canned.title")}</p>
      {replies.value.length > 5 && (
        <input class="choices-search" aria-label={t("inbox.search")} placeholder={t("inbox.search")} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
      )}
      {found.length === 0 && <p class="quiet choices-empty">{t("canned.empty")}</p>}
      {found.map((reply) => (
        <button key={reply.name} type="button" class="choice choice-tall" onClick={() => onChoose(reply)}>
          <b>{reply.name}</b>
          <span class="quiet">{reply.text}</span>
        </button>
      ))}
    </div>
  );
}

// The customer's name is known; other variables stay for the agent to replace.
function filled(text: string, head: Head): string {
  return head.senderName ? text.replaceAll("{{name}}", head.senderName) : text;
}
