// What a mailbox does with mail: received or not, who answers, and whether a person approves each answer.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, Button } from "../../../ui/controls";
import { LiveChange, openOf } from "../../switches/LiveChange";

type Mailbox = EmailThreadsApi.MailboxView;
type Mode = { enabled: boolean } | { automation: Mailbox["automation"] } | { reply_mode: Mailbox["reply_mode"] };

interface Asked {
  before: Mode;
  after: Mode;
}

const RESPONDERS = ["none", "email_threads", "conversations"] as const;

export function MailboxMode({ mailbox, onChange }: { mailbox: Mailbox; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<Asked | null>(null);
  const set = (body: Mode) => client.call("PUT /email-mailboxes/{address}", { path: { address: mailbox.address }, body });
  const { enabled, automation, reply_mode } = mailbox;
  const nextMode = reply_mode === "auto" ? "manual" : "auto";
  return (
    <section class="ops-editor" aria-label={t("mailbox.mode")}>
      <h3>{t("mailbox.mode")}</h3>
      <ul class="ops-list">
        <li>
          <Badge kind={enabled ? "good" : "warn"}>{t(`mailbox.mode.enabled.${enabled}`)}</Badge>{" "}
          <Button onClick={() => setAsked({ before: { enabled }, after: { enabled: !enabled } })}>{t(`mailbox.set.enabled.${!enabled}`)}</Button>
        </li>
        <li>
          {t(`mailbox.mode.automation.${automation}`)}{" "}
          {RESPONDERS.filter((one) => one !== automation).map((one) => (
            <Button key={one} onClick={() => setAsked({ before: { automation }, after: { automation: one } })}>
              {t(`mailbox.set.automation.${one}`)}
            </Button>
          ))}
        </li>
        <li>
          {t(`mailbox.mode.reply_mode.${reply_mode}`)}{" "}
          <Button onClick={() => setAsked({ before: { reply_mode }, after: { reply_mode: nextMode } })}>{t(`mailbox.set.reply_mode.${nextMode}`)}</Button>
        </li>
      </ul>
      {asked && (
        <LiveChange
          title={`${mailbox.address}: ${wordsOf("set", asked.after)}`}
          button={wordsOf("set", asked.after)}
          from={wordsOf("mode", asked.before)}
          to={wordsOf("mode", asked.after)}
          effect={wordsOf("effect", asked.after)}
          affected={openOf(client, "email_threads")}
          set={() => set(asked.after)}
          back={() => set(asked.before)}
          done={t("mailbox.stored")}
          onClose={() => setAsked(null)}
          onChanged={onChange}
        />
      )}
    </section>
  );
}

function wordsOf(what: "mode" | "set" | "effect", mode: Mode): string {
  if ("enabled" in mode) return t(`mailbox.${what}.enabled.${mode.enabled}`);
  if ("automation" in mode) return t(`mailbox.${what}.automation.${mode.automation}`);
  return t(`mailbox.${what}.reply_mode.${mode.reply_mode}`);
}
