// The consent of a person: the newest choice for each channel and identifier, with evidence. Records a choice for all
// identifiers of a channel.

import { useState } from "preact/hooks";
import type { Resource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { actor, moment } from "../../texts/format";
import { named, t, type Key } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Skeleton } from "../../ui/controls";
import { Icon } from "../../ui/icons";
import type { Channel, Consents } from "../source";
import { EvidenceForm } from "./EvidenceForm";
import { Unreachable } from "./Unreachable";

type ChannelConsent = Consents["channels"][number];
type IdentifierConsent = ChannelConsent["identifiers"][number];
type State = "opted_in" | "opted_out";

const KINDS = { opted_in: "accent", opted_out: "warn", unknown: "plain" } as const;

interface Props {
  contactId: string;
  consents: Resource<Consents>;
  me: string | null;
}

export function Consent({ contactId, consents, me }: Props) {
  const found = consents.value;
  return (
    <section class="facts-part" aria-labelledby="contact-consent">
      <h3 id="contact-consent">
        <Icon name="check" size={16} /> {t("contact.consent")}
      </h3>
      {consents.error && <ErrorNotice error={consents.error} onRetry={() => void consents.reload()} />}
      {!found && !consents.error && <Skeleton rows={2} kind="row" />}
      {found?.channels
        .filter((one) => one.identifiers.length)
        .map((one) => <OfChannel key={one.channel} contactId={contactId} consent={one} me={me} onChange={consents.reload} />)}
      {found && !found.complete && <p class="quiet">{t("contact.consent_incomplete")}</p>}
    </section>
  );
}

function OfChannel({ contactId, consent, me, onChange }: { contactId: string; consent: ChannelConsent; me: string | null; onChange: () => Promise<void> }) {
  const { approves } = rightsOf(useSession()); // who may record an opt-in
  const [asked, setAsked] = useState<State | null>(null);
  const states = consent.identifiers.map((one) => one.state ?? "unknown");
  const channel = t(`channel.${consent.channel}` as Key);
  return (
    <div class="contact-consent">
      <h4>{channel}</h4>
      <ul class="contact-list">
        {consent.identifiers.map((one) => (
          <OfIdentifier key={one.value} contactId={contactId} channel={consent.channel} one={one} me={me} onChange={onChange} />
        ))}
      </ul>
      {asked ? (
        <Record contactId={contactId} channel={consent.channel} state={asked} onDone={() => setAsked(null)} onChange={onChange} />
      ) : (
        <div class="contact-buttons">
          {states.some((state) => state !== "opted_out") && (
            <Button label={t("contact.opt_out_of", { channel })} onClick={() => setAsked("opted_out")}>
              {t("contact.opt_out")}
            </Button>
          )}
          {approves && states.some((state) => state !== "opted_in") && (
            <Button label={t("contact.opt_in_to", { channel })} onClick={() => setAsked("opted_in")}>
              {t("contact.opt_in")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

interface IdentifierProps {
  contactId: string;
  channel: Channel;
  one: IdentifierConsent;
  me: string | null;
  onChange: () => Promise<void>;
}

function OfIdentifier({ contactId, channel, one, me, onChange }: IdentifierProps) {
  const state = one.state ?? "unknown";
  const facts = [
    one.at && moment(one.at),
    one.saidBy && t("optout.said", { channel: named("channel", one.saidBy) }),
    one.recordedBy && t("optout.recorded", { who: actor(one.recordedBy.replace(/^human:/, ""), me) }),
    one.evidence && t("optout.evidence", { evidence: one.evidence }),
  ].filter(Boolean);
  return (
    <li>
      <span>
        <bdi>{one.text}</bdi> <Badge kind={KINDS[state]}>{t(`contact.state.${state}`)}</Badge>
        {facts.length > 0 && <span class="contact-detail quiet">{facts.join(" · ")}</span>}
        {one.unreachable && <Unreachable contactId={contactId} channel={channel} value={one.value} report={one.unreachable} onChange={onChange} />}
      </span>
    </li>
  );
}

interface RecordProps {
  contactId: string;
  channel: Channel;
  state: State;
  onDone: () => void;
  onChange: () => Promise<void>;
}

function Record({ contactId, channel, state, onDone, onChange }: RecordProps) {
  const { client } = useApp();
  return (
    <EvidenceForm
      label={t(state === "opted_out" ? "contact.opt_out" : "contact.opt_in")}
      send={(evidence) => client.call("POST /contacts/{contact_id}/consents", { path: { contact_id: contactId }, body: { channel, state, evidence } })}
      onDone={onDone}
      onChange={onChange}
    />
  );
}
