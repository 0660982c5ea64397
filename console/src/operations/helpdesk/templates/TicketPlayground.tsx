// A version of the help desk's settings decides on a pasted ticket. Nothing is sent or stored.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../../api/routes";
import { useAction } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { scenarioOfTicket } from "../../versions/scenarios";
import { keepScenario, setsOfHelpDesk } from "../../versions/setSources";
import { ofHelpDesk } from "../../versions/sources";
import { Trace } from "../../versions/Trace";
import { VersionField } from "../../versions/VersionField";
import { useVersions } from "../../versions/Versions";

type Decided = RichpanelAdmin.DecisionTrialView;

const CHANNELS = ["email", "livechat", "social", "tiktok", "phone"] as const;
const LONGEST_SUBJECT = 500; // characters
const LONGEST_TICKET = 20_000;

export function TicketPlayground({ inForce }: { inForce: number }) {
  const { client } = useApp();
  const versions = useVersions(ofHelpDesk(client, inForce));
  const [number, setNumber] = useState(inForce);
  const [channel, setChannel] = useState<(typeof CHANNELS)[number]>("email");
  const [subject, setSubject] = useState("");
  const [text, setText] = useState("");
  const [decided, setDecided] = useState<Decided | null>(null);
  const [asked, setAsked] = useState<{ subject: string; text: string; channel: string } | null>(null); // what was decided on
  const ask = useAction(async () => {
    const body = { number, channel, subject: subject || null, text };
    const written = { subject, text, channel };
    setDecided((await client.call("POST /admin/richpanel/playground", { body })).result);
    setAsked(written);
  });
  const keep = useAction(async () => {
    if (!decided || !asked) return;
    const answer = decided.trace?.model_calls[0]?.answer ?? null;
    const { intent, team, text: reply = null } = decided;
    await keepScenario(setsOfHelpDesk(client), scenarioOfTicket({ ...asked, answer, intent, team, reply, at: new Date().toISOString() }));
    showToast(t("sets.kept"));
  });
  return (
    <section class="ops-section" aria-label={t("try_ticket.title")}>
      <h2>{t("try_ticket.title")}</h2>
      <p class="quiet">{t("try_ticket.about")}</p>
      <form
        class="ops-editor"
        aria-label={t("try_ticket.title")}
        onSubmit={(event) => {
          event.preventDefault();
          void ask.run();
        }}
      >
        {ask.error && <ErrorNotice error={ask.error} fields={["number", "channel", "subject", "text"]} />}
        <VersionField name="number" version={number} versions={versions.items} error={ask.error} onChoose={setNumber}>
          {inForce === 0 && <option value={0}>{t("try_ticket.standard")}</option>}
        </VersionField>
        <Field label={t("playground.channel")} name="channel" error={ask.error}>
          <select value={channel} onChange={(event) => setChannel(event.currentTarget.value as typeof channel)}>
            {CHANNELS.map((one) => (
              <option key={one} value={one}>
                {t(`try_ticket.channel.${one}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("try_mail.subject")} name="subject" error={ask.error}>
          <input dir="auto" value={subject} maxLength={LONGEST_SUBJECT} onInput={(event) => setSubject(event.currentTarget.value)} />
        </Field>
        <Field label={t("playground.message")} name="text" error={ask.error}>
          <textarea dir="auto" rows={6} value={text} maxLength={LONGEST_TICKET} onInput={(event) => setText(event.currentTarget.value)} />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={ask.busy} disabled={!text.trim()}>
            {t("try_ticket.ask")}
          </Button>
        </div>
      </form>
      <div aria-live="polite">{decided && <Result decided={decided} />}</div>
      {keep.error && <ErrorNotice error={keep.error} />}
      {decided && (
        <Button busy={keep.busy} onClick={() => void keep.run()}>
          {t("playground.keep")}
        </Button>
      )}
    </section>
  );
}

function Result({ decided }: { decided: Decided }) {
  const facts = [decided.intent, decided.team, `${Math.round(decided.confidence * 100)} %`, decided.language, decided.reason, ...decided.shut];
  return (
    <ol class="playground">
      <li>
        <b>{decided.text === null ? t("try_ticket.none") : t("try_ticket.reply")}</b>
        {decided.text !== null && <p dir="auto">{decided.text}</p>}
        {decided.takes_over && <Badge kind="warn">{t("playground.hand_off")}</Badge>}
        <p class="quiet">{[...new Set(facts)].map((one) => one.replaceAll("_", " ")).join(" · ")}</p>
        <p class="quiet">{decided.tags.join(", ")}</p>
        {decided.trace && <Trace tried={decided.trace} />}
      </li>
    </ol>
  );
}
