// A send whose answer was lost: what is known of it, and a person's decision. The decision is final.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { actor, moment } from "../../../texts/format";
import { named, t } from "../../../texts/texts";
import { Fact } from "../../../ui/frame";
import { Button, Choices, ErrorNotice, Field, Skeleton } from "../../../ui/controls";
import type { Message } from "../conversationData";

const DECISIONS = ["was_sent", "was_not_sent", "resend"] as const;
type Decision = (typeof DECISIONS)[number];

interface Props {
  message: Message;
  me: string | null;
  onChange: () => void;
}

export function UnknownSend(props: Props) {
  const [open, setOpen] = useState(false);
  return (
    <div class="bubble-problem">
      <p>{t("delivery.unknown_text")}</p>
      <button type="button" class="button button-quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
        {t(open ? "unknown.hide" : "unknown.resolve")}
      </button>
      {open && <Resolve {...props} />}
    </div>
  );
}

function Resolve({ message, me, onChange }: Props) {
  const { client } = useApp();
  const [decision, setDecision] = useState<Decision | null>(null);
  const [note, setNote] = useState("");
  const evidence = useResource(
    async (signal) => {
      const { result } = await client.call("POST /whatsapp/actions/list_unknown_sends", { body: { limit: 100 }, signal });
      return result.sends.find((send) => send.messagePk?.endsWith(`#${message.id}`)) ?? null;
    },
    [client, message.id],
  );
  const resolve = useAction(async () => {
    if (!decision) return;
    // A message without an id of the provider has the id of its send.
    const body = { actionId: evidence.value?.actionId ?? message.id, decision, ...(note.trim() ? { note: note.trim() } : {}) };
    await client.call("POST /whatsapp/actions/resolve_unknown_send", { body });
    onChange();
  });
  if (evidence.error) return <ErrorNotice error={evidence.error} onRetry={() => void evidence.reload()} />;
  if (evidence.loading && evidence.value === null) return <Skeleton rows={2} kind="row" />;
  const send = evidence.value;
  return (
    <form
      class="resolve"
      onSubmit={(event) => {
        event.preventDefault();
        void resolve.run();
      }}
    >
      {send ? (
        <dl>
          <Fact label={t("unknown.attempted")}>{moment(send.attemptedAt)}</Fact>
          <Fact label={t("unknown.attempt")}>{send.attempt}</Fact>
          <Fact label={t("unknown.provider")}>{send.provider}</Fact>
          {send.sentBy && <Fact label={t("unknown.by")}>{actor(send.sentBy, me)}</Fact>}
          {send.reason && <Fact label={t("unknown.reason")}>{named("reason", send.reason)}</Fact>}
        </dl>
      ) : (
        <p class="quiet">{t("unknown.no_evidence")}</p>
      )}
      <Choices
        legend={t("unknown.question")}
        name={`decision-${message.id}`}
        values={DECISIONS}
        textOf={(one) => t(`unknown.decision.${one}`)}
        chosen={decision}
        onChoose={setDecision}
      />
      {decision === "resend" && <p>{t("unknown.twice")}</p>}
      <Field label={t("unknown.note")} name="note" error={resolve.error}>
        <input maxLength={300} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </Field>
      {resolve.error && <ErrorNotice error={resolve.error} fields={["note"]} />}
      <Button kind="primary" type="submit" busy={resolve.busy} disabled={!decision}>
        {t("unknown.confirm")}
      </Button>
    </form>
  );
}
