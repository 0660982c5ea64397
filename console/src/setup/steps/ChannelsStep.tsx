// A mailbox, and what the other channels need.

import { useAction } from "../../api/resource";
import type { EmailThreadsApi } from "../../api/routes";
import { useApp } from "../../app";
import { Help } from "../../shell/Help";
import { placeOf } from "../../shell/router";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import type { StepProps } from "../Setup";

// *place*: where the console does it.
const OTHERS = [
  { name: "sms", place: null, help: "connect/twilio#connect-twilio-sms-and-whatsapp" },
  { name: "ai", place: placeOf("operations", "projects"), help: "projects#set-up-a-project" },
  { name: "help_desk", place: placeOf("operations", "helpdesk"), help: "connect/richpanel#connect-richpanel" },
  { name: "newsletters", place: placeOf("newsletters"), help: "console#newsletters" },
] as const;

export function ChannelsStep({ entered, onEnter, onDone, mailboxes }: StepProps & { mailboxes: EmailThreadsApi.MailboxView[] }) {
  const { client } = useApp();
  const add = useAction(async () => {
    const address = entered.mailbox.trim().toLowerCase();
    // Absent settings keep their values: a mailbox that exists stays as it is.
    await client.call("PUT /email-mailboxes/{address}", { path: { address }, body: {} });
    showToast(t("setup.stored"));
    onEnter({ mailbox: "" });
    await onDone();
  });
  return (
    <>
      <form
        class="ops-editor"
        aria-label={t("setup.channels.mailbox")}
        onSubmit={(event) => {
          event.preventDefault();
          void add.run();
        }}
      >
        <h3>{t("setup.channels.mailbox")}</h3>
        <p class="quiet">
          {t("setup.channels.mailbox_text")} <a class="link" href={placeOf("operations", "domains")}>{t("ops.part.domains")}</a>
        </p>
        {mailboxes.length > 0 && (
          <p>
            {mailboxes.map(({ address }) => address).join(", ")} · <a class="link" href={placeOf("operations", "mailboxes")}>{t("setup.channels.settings")}</a>
          </p>
        )}
        {add.error && <ErrorNotice error={add.error} fields={["address"]} onRetry={() => void add.run()} />}
        <Field label={t("setup.channels.address")} name="address" error={add.error}>
          <input type="email" dir="ltr" required placeholder="support@example.com" value={entered.mailbox} onInput={(event) => onEnter({ mailbox: event.currentTarget.value })} />
        </Field>
        <div class="ops-editor-end">
          <Button type="submit" kind="primary" busy={add.busy}>
            {t("setup.channels.add")}
          </Button>
        </div>
      </form>
      <h3>{t("setup.channels.others")}</h3>
      <dl class="setup-others">
        {OTHERS.map(({ name, place, help }) => (
          <div key={name}>
            <dt>{t(`setup.other.${name}`)}</dt>
            <dd>
              {t(`setup.other_text.${name}`)} {place && <a class="link" href={place}>{t("findings.there")}</a>} <Help to={help} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
