// The provider's report that an address is not reached, and its end by an administrator, with a reason and evidence.

import { useState } from "preact/hooks";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { moment } from "../../texts/format";
import { t } from "../../texts/texts";
import { Badge, Button, Field } from "../../ui/controls";
import type { Channel, Report } from "../source";
import { EvidenceForm } from "./EvidenceForm";

const REASONS = ["person_confirmed", "address_repaired", "provider_error"] as const;

interface Props {
  contactId: string;
  channel: Channel;
  value: string;
  report: Report;
  onChange: () => Promise<void>;
}

export function Unreachable(props: Props) {
  const { report } = props;
  const { admin } = rightsOf(useSession());
  const [asks, setAsks] = useState(false);
  if (report.liftedAt)
    return (
      <span class="contact-detail quiet">
        {t("contact.reachable_since", { since: moment(report.liftedAt) })}
        {report.liftEvidence && ` · ${t("optout.evidence", { evidence: report.liftEvidence })}`}
      </span>
    );
  return (
    <>
      <span class="contact-detail">
        <Badge kind="warn">{t("contact.unreachable")}</Badge>{" "}
        <span class="quiet">{t("contact.unreachable_since", { since: moment(report.since), code: report.reason })}</span>
      </span>
      {asks ? (
        <Lift {...props} onDone={() => setAsks(false)} />
      ) : (
        admin && (
          <div class="contact-buttons">
            <Button label={t("contact.lift_of", { address: props.value })} onClick={() => setAsks(true)}>
              {t("contact.lift")}
            </Button>
          </div>
        )
      )}
    </>
  );
}

function Lift({ contactId, channel, value, report, onChange, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const [reason, setReason] = useState<(typeof REASONS)[number]>("person_confirmed");
  const lift = (evidence: string) =>
    client.call("POST /contacts/{contact_id}/reachability", {
      path: { contact_id: contactId },
      body: { channel, value, since: report.since, reason, evidence },
    });
  return (
    <EvidenceForm label={t("contact.lift")} send={lift} onDone={onDone} onChange={onChange}>
      {(error) => (
        <>
          <p class="quiet">{t("contact.lift_about")}</p>
          <Field label={t("contact.lift_reason")} name="reason" error={error}>
            <select value={reason} onChange={(event) => setReason(event.currentTarget.value as typeof reason)}>
              {REASONS.map((one) => (
                <option key={one} value={one}>
                  {t(`contact.lift_reason.${one}`)}
                </option>
              ))}
            </select>
          </Field>
        </>
      )}
    </EvidenceForm>
  );
}
