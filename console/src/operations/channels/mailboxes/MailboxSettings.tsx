// The settings of a mailbox that people change by hand: times, hours, targets, signature, blocked senders.

import { useState } from "preact/hooks";
import type { EmailThreadsApi } from "../../../api/routes";
import { useAction, useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { placeOf } from "../../../shell/router";
import { t } from "../../../texts/texts";
import { Button, ErrorNotice, Field } from "../../../ui/controls";
import { showToast } from "../../../ui/toastList";
import { Section } from "../../sections";
import { SetsOfVersions } from "../../versions/Sets";
import { setsOfMailbox } from "../../versions/setSources";
import { ofMailbox } from "../../versions/sources";
import { VersionList } from "../../versions/Versions";
import { BusinessHours } from "./BusinessHours";
import { MailboxMode } from "./MailboxMode";
import { formOf, hoursOf, linesOf } from "./hours";
import { MailboxTrials } from "./MailboxTrials";
import { MailPlayground } from "./MailPlayground";

type Mailbox = EmailThreadsApi.MailboxView;

const LONGEST_SIGNATURE = 1_000; // characters
const NUMBERS = [
  { name: "undo_seconds", text: "mailbox.undo_seconds", least: 0, most: 60 },
  { name: "first_response_minutes", text: "mailbox.first_response_minutes", least: 1, most: 86_400 },
  { name: "resolution_minutes", text: "mailbox.resolution_minutes", least: 1, most: 86_400 },
  { name: "auto_close_days", text: "mailbox.auto_close_days", least: 1, most: 365 },
  { name: "reopen_days", text: "mailbox.reopen_days", least: 0, most: 3_650 },
  { name: "satisfaction_delay_hours", text: "mailbox.satisfaction_delay_hours", least: 0, most: 720 },
] as const;
type NumberName = (typeof NUMBERS)[number]["name"];

export function MailboxSettings() {
  const { client } = useApp();
  const [chosen, setChosen] = useState("");
  const mailboxes = useResource(async (signal) => (await client.call("GET /email-mailboxes", { signal })).result.mailboxes, [client]);
  const shown = mailboxes.value?.find(({ address }) => address === chosen) ?? mailboxes.value?.[0];
  const tools = shown && (
    <label class="ops-filter">
      <span class="field-label">{t("ops.service.mailbox")}</span>
      <select value={shown?.address ?? ""} onChange={(event) => setChosen(event.currentTarget.value)}>
        {(mailboxes.value ?? []).map(({ address }) => (
          <option key={address} value={address}>
            {address}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Section title={t("ops.part.mailboxes")} about={t("mailbox.about")} resource={mailboxes} tools={tools}>
      {() =>
        shown ? (
          <>
            <MailboxMode key={`mode ${shown.address}`} mailbox={shown} onChange={mailboxes.reload} />
            <Form key={`${shown.address} ${shown.updated_at ?? ""}`} mailbox={shown} onStored={mailboxes.reload} />
            <VersionList
              key={`versions ${shown.address} ${shown.updated_at ?? ""}`}
              source={ofMailbox(client, shown.address)}
              about={t("versions.mailbox_about")}
              effect={t("versions.mailbox")}
              onChange={() => void mailboxes.reload()}
            />
            {shown.ai && <MailPlayground key={`try ${shown.address} ${shown.updated_at ?? ""}`} address={shown.address} />}
            {shown.ai && shown.automation === "email_threads" && (
              <MailboxTrials key={`trials ${shown.address} ${shown.updated_at ?? ""}`} address={shown.address} onChange={() => void mailboxes.reload()} />
            )}
            {shown.ai && (
              <SetsOfVersions
                key={`sets ${shown.address} ${shown.updated_at ?? ""}`}
                source={setsOfMailbox(client, shown.address)}
                versions={ofMailbox(client, shown.address)}
                about={t("sets.mail_about")}
              />
            )}
          </>
        ) : (
          <p class="ops-empty">
            {t("mailbox.none")}{" "}
            <a class="link" href={placeOf("operations", "setup", "channels")}>
              {t("mailbox.set_up")}
            </a>
          </p>
        )
      }
    </Section>
  );
}

function Form({ mailbox, onStored }: { mailbox: Mailbox; onStored: () => Promise<void> }) {
  const { client } = useApp();
  const before = Object.fromEntries(NUMBERS.map(({ name }) => [name, String(mailbox[name] ?? "")])) as Record<NumberName, string>;
  const [given, setGiven] = useState(before);
  const [signature, setSignature] = useState(mailbox.signature ?? "");
  const hoursBefore = formOf(mailbox.business_hours ?? null, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [hours, setHours] = useState(hoursBefore);
  const blockedBefore = (mailbox.blocked_senders ?? []).join("\n");
  const [blocked, setBlocked] = useState(blockedBefore);
  const save = useAction(async () => {
    // Only what was changed: a colleague may have changed other settings meanwhile.
    const changed = NUMBERS.filter(({ name }) => given[name] !== before[name]);
    const body: EmailThreadsApi.MailboxInput = {
      ...Object.fromEntries(changed.map(({ name }) => [name, given[name] === "" ? null : Number(given[name])])),
      ...(signature !== (mailbox.signature ?? "") && { signature: signature.trim() ? signature : null }),
      ...(JSON.stringify(hours) !== JSON.stringify(hoursBefore) && { business_hours: hoursOf(hours) }),
      ...(blocked !== blockedBefore && { blocked_senders: linesOf(blocked) }),
    };
    await client.call("PUT /email-mailboxes/{address}", { path: { address: mailbox.address }, body });
    showToast(t("mailbox.stored"));
    await onStored();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("ops.part.mailboxes")}
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      {save.error && <ErrorNotice error={save.error} fields={[...NUMBERS.map(({ name }) => name), "signature", "business_hours.time_zone"]} />}
      {NUMBERS.map(({ name, text, least, most }) => (
        <Field key={name} label={t(text)} name={name} error={save.error}>
          <input type="number" step={1} min={least} max={most} value={given[name]} onInput={(event) => setGiven({ ...given, [name]: event.currentTarget.value })} />
        </Field>
      ))}
      <BusinessHours hours={hours} error={save.error} onChange={setHours} />
      <Field label={t("mailbox.signature")} name="signature" error={save.error}>
        <textarea dir="auto" rows={3} value={signature} maxLength={LONGEST_SIGNATURE} onInput={(event) => setSignature(event.currentTarget.value)} />
      </Field>
      <Field label={t("mailbox.blocked_senders")} name="blocked_senders" error={save.error}>
        <textarea dir="auto" rows={3} value={blocked} placeholder="ads@spam.example" onInput={(event) => setBlocked(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={save.busy}>
          {t("ops.store")}
        </Button>
      </div>
    </form>
  );
}
