// Says that a contact has opted out: since when, who recorded it, and from what.

import { actor, moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Icon } from "../../ui/icons";
import type { ChannelConsent } from "./consent";

export function OptedOut({ consent, me }: { consent: ChannelConsent; me: string | null }) {
  const by = consent.principal ?? consent.recorded_by;
  const facts = [
    consent.at && moment(consent.at),
    consent.said_by && t("optout.said", { channel: named("channel", consent.said_by) }),
    by && t("optout.recorded", { who: actor(by, me) }),
    consent.evidence && t("optout.evidence", { evidence: consent.evidence }),
  ];
  return (
    <div class="notice notice-warn" role="status">
      <Icon name="alert" />
      <div>
        <p>
          <b>{t("optout.title")}</b> {t("optout.text")}
        </p>
        <p class="detail">{facts.filter(Boolean).join(" · ")}</p>
      </div>
    </div>
  );
}
