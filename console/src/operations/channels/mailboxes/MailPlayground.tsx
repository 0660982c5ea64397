// The model of a mailbox's version drafts an answer to a pasted mail. Nothing is sent or stored.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { scenarioOfMail } from "../../versions/scenarios";
import { keepScenario, setsOfMailbox } from "../../versions/setSources";
import { ofMailbox } from "../../versions/sources";
import { Trace } from "../../versions/Trace";
import { VersionField, answerOf } from "../../versions/VersionField";
import { liveOf, useVersions } from "../../versions/Versions";

type Draft = EmailThreadsApi.DraftTrialView;

const LONGEST_SUBJECT = 500; // characters
const LONGEST_MAIL = 20_000;

export function MailPlayground({ address }: { address: string }) {
  const { client } = useApp();
  const versions = useVersions(ofMailbox(client, address));
  const [chosen, setChosen] = useState<number | null>(null);
  const [subject, setSubject] = useState("");
  const [text, setText] = useState("");
  const [draft, setDraft] = useState<Draft | null>(null);
  const [asked, setAsked] = useState<{ subject: string; text: string } | null>(null); // what the draft answers
  const version = chosen ?? liveOf(versions);
  const ask = useAction(async () => {
    const body = { version, mails: [{ subject, text }] };
    const written = { subject, text };
    setDraft((await client.call("POST /email-mailboxes/{address}/playground", { path: { address }, body })).result);
    setAsked(written);
  });
  const keep = useAction(async () => {
    const answer = draft?.model_calls.at(-1)?.answer;
    if (!draft || !answer || !asked) return;
    const facts = { ...asked, answer, waits: draft.waits ?? (draft.text == null ? "no_text" : null), intent: draft.intent, at: new Date().toISOString() };
    await keepScenario(setsOfMailbox(client, address), scenarioOfMail(facts));
    showToast(t("sets.kept"));
  });
  return (
    <section class="ops-section" aria-label={t("try_mail.title")}>
      <h2>{t("try_mail.title")}</h2>
      <p class="quiet">{t("try_mail.about")}</p>
      <form
        class="ops-editor"
        aria-label={t("try_mail.title")}
        onSubmit={(event) => {
          event.preventDefault();
          void ask.run();
        }}
      >
        {ask.error && <ErrorNotice error={ask.error} fields={["version", "mails.0.subject", "mails.0.text"]} />}
        {versions.items.length > 0 && <VersionField name="version" version={version} versions={versions.items} error={ask.error} onChoose={setChosen} />}
        <Field label={t("try_mail.subject")} name="mails.0.subject" error={ask.error}>
          <input dir="auto" value={subject} maxLength={LONGEST_SUBJECT} onInput={(event) => setSubject(event.currentTarget.value)} />
        </Field>
        <Field label={t("try_mail.text")} name="mails.0.text" error={ask.error}>
          <textarea dir="auto" rows={6} value={text} maxLength={LONGEST_MAIL} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={ask.busy} disabled={!text.trim()}>
            {t("try_mail.ask")}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{draft && <Drafted draft={draft} />}</div>
      {keep.error && <ErrorNotice error={keep.error} />}
      {draft && (
        <Button busy={keep.busy} onClick={() => void keep.run()}>
          {t("playground.keep")}
        </Button>
      )}
    </section>
  );
}

function Drafted({ draft }: { draft: Draft }) {
  return (
    <ol class="playground">
      <li>
        <b>{answerOf(draft.version)}</b>
        <p dir="auto">{draft.text ?? t("try_mail.none")}</p>
        {draft.waits && <Badge kind="warn">{t("try_mail.waits", { reason: draft.waits.replaceAll("_", " ") })}</Badge>}
        <p class="quiet">{[draft.intent, draft.language, draft.urgency, `${Math.round(draft.confidence * 100)} %`, draft.needs_human_reason].filter(Boolean).join(" · ")}</p>
        <Trace tried={draft}>
          <pre dir="auto">{JSON.stringify({ summary: draft.summary, requirements: draft.requirements, unconfirmed: draft.unconfirmed }, null, 1)}</pre>
        </Trace>
      </li>
    </ol>
  );
}
