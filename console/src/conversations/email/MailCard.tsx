// A mail of a thread: its evidence, its text, its files.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { EmailThreadsApi } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { moment, when } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Avatar, Badge, Button, ErrorNotice } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import { showToast } from "../../ui/toastList";

type Mail = EmailThreadsApi.MailView;

export function MailCard({ mail, thread, onChange, children }: { mail: Mail; thread: string; onChange: () => void; children: ComponentChildren }) {
  const [whole, setWhole] = useState(false);
  const sender = mail.sender_name ?? mail.from ?? "";
  const hasMore = mail.body.trim().length > mail.new_text.trim().length;
  return (
    <article class={`mail ${mail.direction === "outbound" ? "mail-out" : ""}`}>
      <header class="mail-head">
        <Avatar name={sender} size="s" />
        <div>
          <b>{sender}</b> {mail.sender_name && <span class="quiet">{mail.from}</span>}
          <p class="quiet">{t("mail.to", { to: [...mail.to, ...mail.cc].join(", ") })}</p>
          {mail.answers_to && <p class="quiet">{t("mail.answers_to", { to: mail.answers_to })}</p>}
        </div>
        {isLeftOut(mail) ? <Badge kind="warn">{t("mail.left_out")}</Badge> : mail.needs_review && <Badge kind="warn">{t("mail.review")}</Badge>}
        {mail.delivery && <Badge>{named("delivery", String(mail.delivery))}</Badge>}
        <time class="quiet" dateTime={mail.received_at} title={moment(mail.received_at)}>
          {when(mail.received_at)}
        </time>
      </header>
      <Evidence mail={mail} thread={thread} onChange={onChange} />
      {mail.bounce_class && <p class="bubble-problem">{[named("bounce", String(mail.bounce_class)), mail.diagnostic ?? ""].filter(Boolean).join(": ")}</p>}
      {mail.erased ? <p class="bubble-note">{t("message.erased")}</p> : <p class="mail-text" dir="auto">{whole ? mail.body : mail.new_text || mail.body}</p>}
      {hasMore && (
        <button type="button" class="button button-quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {t(whole ? "mail.less" : "mail.whole")}
        </button>
      )}
      {children}
      {mail.flags.includes("tnef") && <p class="bubble-note">{t("mail.tnef")}</p>}
      {mail.attachments.length > 0 && (
        <div class="mail-files">
          {mail.attachments.map((file) => (
            <Attachment key={file.index} thread={thread} n={mail.n} file={file} />
          ))}
        </div>
      )}
    </article>
  );
}

// Only people see such a mail: no model reads it, and nothing follows from it.
function isLeftOut(mail: Mail): boolean {
  return !mail.erased && (mail.kind === "held" || mail.evidence === "weak");
}

function Evidence({ mail, thread, onChange }: { mail: Mail; thread: string; onChange: () => void }) {
  const { client } = useApp();
  const { approves } = rightsOf(useSession());
  const path = { conversation_id: thread, n: String(mail.n) };
  const decide = async (isLetIn: boolean) => {
    await client.call(isLetIn ? "POST /email-threads/{conversation_id}/emails/{n}/admit" : "POST /email-threads/{conversation_id}/emails/{n}/withhold", { path });
    onChange();
  };
  const admit = useAction(async () => {
    await decide(true);
    showToast(t("undo.admitted"), () => decide(false));
  });
  const withhold = useAction(async () => {
    await decide(false);
    showToast(t("undo.withheld"), () => decide(true));
  });
  const isAdmitted = mail.evidence === "admitted" && !mail.erased;
  if (!isLeftOut(mail) && !isAdmitted) return null;
  const error = admit.error ?? withhold.error;
  const reason = mail.kind === "held" ? named("mail.held", String(mail.hold_reason)) : named("mail.evidence", String(mail.evidence_reason));
  return (
    <div class="bubble-note">
      {error && <ErrorNotice error={error} />}
      <p>{isAdmitted ? t("mail.admitted") : reason}</p>
      {approves && mail.may_be_admitted && isLeftOut(mail) && (
        <Button icon="check" busy={admit.busy} onClick={() => void admit.run()}>
          {t("mail.admit")}
        </Button>
      )}
      {approves && isAdmitted && (
        <Button kind="quiet" busy={withhold.busy} onClick={() => void withhold.run()}>
          {t("mail.withhold")}
        </Button>
      )}
    </div>
  );
}

function Attachment({ thread, n, file }: { thread: string; n: number; file: EmailThreadsApi.AttachmentView }) {
  const { client } = useApp();
  const open = useAction(async () => {
    const link = await client.call("GET /email-threads/{conversation_id}/emails/{n}/attachments/{index}", {
      path: { conversation_id: thread, n: String(n), index: String(file.index) },
    });
    window.open(link.result.url, "_blank", "noreferrer");
  });
  return (
    <button type="button" class="file" disabled={!file.available || open.busy} title={file.available ? "" : t("mail.unsafe")} onClick={() => void open.run()}>
      <Icon name={open.error || !file.available ? "alert" : "file"} />
      <span>{file.filename}</span>
    </button>
  );
}
