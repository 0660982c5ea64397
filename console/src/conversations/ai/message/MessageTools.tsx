// What people do with a message besides reading it: rate an answer of the model; administrators try another version.

import { useState } from "preact/hooks";
import { useSession } from "../../../app";
import { rightsOf } from "../../../operations/access";
import { Dialog } from "../../../shell/Dialog";
import { loadTexts, t } from "../../../texts/texts";
import { Button } from "../../../ui/controls";
import { Later } from "../../../ui/Later";
import type { Head, Message } from "../conversationState";
import { Rating } from "./Rating";

interface Props {
  head: Head;
  message: Message;
  me: string;
  onChange: () => void;
}

export function MessageTools({ head, message, me, onChange }: Props) {
  const [isOpen, setOpen] = useState(false);
  const isByModel = message.author === "ai";
  const mayReplay = rightsOf(useSession()).admin && !message.function && (isByModel || message.author === "customer");
  return (
    <>
      {isByModel && <Rating conversation={head.ref} message={message} me={me} onChange={onChange} />}
      {mayReplay && (
        <Button kind="quiet" onClick={() => setOpen(true)}>
          {t("replay.open")}
        </Button>
      )}
      {isOpen && (
        <Dialog label={t("replay.title")} onClose={() => setOpen(false)}>
          <h2>{t("replay.title")}</h2>
          <Later load={loadReplay} show={({ Replay }) => <Replay head={head} message={message} onClose={() => setOpen(false)} />} />
        </Dialog>
      )}
    </>
  );
}

async function loadReplay() {
  return (await Promise.all([import("../../../operations/projects/Replay"), loadTexts("operations")]))[0];
}
