// A version answers in a real conversation again, where a message stands. Nothing is sent or stored.

import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import type { Head, Message } from "../../conversations/ai/conversationState";
import { named, t } from "../../texts/texts";
import { Button, ErrorNotice } from "../../ui/controls";
import { VersionField, answerOf } from "../versions/VersionField";
import { TracedAnswer } from "./Playground";

const MOST = 100;

type Replayed = ConversationsAdmin.ReplayView;

export function Replay({ head, message, onClose }: { head: Head; message: Message; onClose: () => void }) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<number | null>(null);
  const [replayed, setReplayed] = useState<Replayed | null>(null);
  const path = { project_id: head.project_id };
  const versions = useResource(async (signal) => (await client.call("GET /projects/{project_id}/versions", { path, query: { limit: MOST }, signal })).result.versions, [client, head.project_id]);
  const rows = versions.value ?? [];
  const version = chosen ?? rows.find((one) => one.is_live)?.number ?? null;
  const ask = useAction(async () => {
    const body = { message: `${message.message_timestamp}~${message.entry_id}`, version };
    setReplayed((await client.call("POST /conversations/{ref}/playground", { path: { ref: head.ref }, body })).result);
  });
  return (
    <form
      class="ops-editor"
      onSubmit={(event) => {
        event.preventDefault();
        void ask.run();
      }}
    >
      <p class="quiet">{t("replay.about")}</p>
      {versions.error && <ErrorNotice error={versions.error} onRetry={() => void versions.reload()} />}
      {versions.value && rows.length === 0 && <p>{t("replay.none")}</p>}
      {rows.length > 0 && <VersionField name="version" version={version} versions={rows} error={ask.error} onChoose={setChosen} />}
      {ask.error && <ErrorNotice error={ask.error} fields={["version"]} />}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={ask.busy} disabled={!versions.value}>
          {t("replay.try")}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {t("action.close")}
        </Button>
      </div>
      <div aria-live="polite">{replayed && <Result replayed={replayed} />}</div>
    </form>
  );
}

function Result({ replayed }: { replayed: Replayed }) {
  const { sent, version } = replayed;
  return (
    <>
      <details>
        <summary>{t("replay.read")}</summary>
        <ol class="playground">
          {replayed.messages.map((one, position) => (
            <li key={position} class={`playground-${one.by}`}>
              <b>{named("playground.by", one.by)}</b>
              <p dir="auto">{one.text}</p>
            </li>
          ))}
        </ol>
      </details>
      <ol class="playground">
        {sent != null && (
          <li>
            <b>{t("replay.sent")}</b>
            <p dir="auto">{sent}</p>
          </li>
        )}
        <li>
          <b>{answerOf(version)}</b>
          <p dir="auto">{replayed.content || "–"}</p>
          <TracedAnswer tried={replayed} />
        </li>
      </ol>
    </>
  );
}
