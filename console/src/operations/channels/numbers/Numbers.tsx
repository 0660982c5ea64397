// The WhatsApp numbers of the company: whether they may send, quality and limit, who answers, voice notes, and their public profile.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../../api/resource";
import type { Actions, WhatsappApi } from "../../../api/routes";
import { useApp } from "../../../app";
import { moment } from "../../../texts/format";
import { named, t } from "../../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../../ui/controls";
import { LiveChange, openOf } from "../../switches/LiveChange";
import { Section } from "../../sections";
import { Pin } from "./Pin";
import { ProfileForm } from "./ProfileForm";
import { QrCodes } from "./QrCodes";
import { QualityHistory } from "./QualityHistory";
import { VoiceNotes } from "./VoiceNotes";
import "./numbers.css";

type Number = WhatsappApi.NumberView;

export function Numbers() {
  const { client } = useApp();
  const found = useResource(
    async (signal) => {
      const [numbers, quality] = await Promise.all([client.call("GET /whatsapp/numbers", { signal }), client.call("POST /whatsapp/actions/get_quality", { body: { limit: 100 }, signal })]);
      return { numbers: numbers.result.numbers, ratings: new Map((quality.result.phones ?? []).map((one) => [one.phoneNumberId, one.qualityRating])) };
    },
    [client],
  );
  return (
    <Section title={t("ops.numbers")} about={t("ops.numbers.about")} resource={found}>
      {({ numbers, ratings }) =>
        numbers.length === 0 ? (
          <p class="ops-empty">{t("ops.numbers.none")}</p>
        ) : (
          <>
            {numbers.map((one) => (
              <Card key={one.phone} number={one} rating={ratings.get(one.phone) ?? null} onChange={found.reload} />
            ))}
          </>
        )
      }
    </Section>
  );
}

function Card({ number, rating, onChange }: { number: Number; rating: string | null; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [isAsked, setAsked] = useState(false);
  const [opened, setOpened] = useState<"profile" | "codes" | "voice" | "history" | null>(null);
  const [health, setHealth] = useState<Actions.Health | null>(null);
  const { phone, displayText: title, automation } = number;
  const now = automation === "conversations" ? "conversations" : "off"; // stored as `none`
  const next = now === "off" ? "conversations" : "off";
  const set = (value: "off" | "conversations") => client.call("POST /whatsapp/actions/set_phone_automation", { body: { phone, automation: value } });
  const check = useAction(async () => setHealth((await client.call("POST /whatsapp/actions/get_phone_health", { body: { phone } })).result));
  const facts = [
    [t("ops.numbers.name"), number.verifiedName],
    [t("ops.numbers.provider"), t(`ops.numbers.provider.${number.provider === "eum" ? "eum" : "graph"}`)],
    [t("ops.numbers.quality"), rating && named("ops.numbers.quality", rating)],
    [t("ops.numbers.limit"), number.messagingLimit && named("ops.numbers.limit", number.messagingLimit)],
    [t("ops.numbers.automation"), t(`ops.numbers.automation.${now}`)],
    [t("voice.title"), t(`voice.now.${number.transcription ?? "off"}`)],
  ] as const;
  return (
    <section class="number" aria-label={title}>
      <h3>
        <bdi>{title}</bdi> <Badge kind={number.enabled && !number.sendingBlocked ? "good" : "plain"}>{t(!number.enabled ? "ops.numbers.off" : number.sendingBlocked ? "ops.numbers.blocked" : "ops.numbers.sends")}</Badge>
      </h3>
      {number.sendingBlocked && (
        <p class="notice">{t("ops.numbers.blocked_why", { reason: number.sendingBlockedReason ?? t("ops.unknown"), until: number.sendingBlockedUntil ? moment(number.sendingBlockedUntil) : t("ops.unknown") })}</p>
      )}
      <dl class="number-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value || t("ops.unknown")}</dd>
          </div>
        ))}
      </dl>
      {check.error && <ErrorNotice error={check.error} onRetry={() => void check.run()} />}
      {health && <Health health={health} />}
      <div class="ops-editor-end">
        <Button busy={check.busy} onClick={() => void check.run()}>
          {t("ops.numbers.check")}
        </Button>
        <Button onClick={() => setAsked(true)}>{t(`ops.numbers.set.${next}`)}</Button>
        <Button pressed={opened === "profile"} onClick={() => setOpened(opened === "profile" ? null : "profile")}>
          {t("ops.numbers.profile")}
        </Button>
        <Button pressed={opened === "codes"} onClick={() => setOpened(opened === "codes" ? null : "codes")}>
          {t("qr.title")}
        </Button>
        <Button pressed={opened === "voice"} onClick={() => setOpened(opened === "voice" ? null : "voice")}>
          {t("voice.title")}
        </Button>
        <Button pressed={opened === "history"} onClick={() => setOpened(opened === "history" ? null : "history")}>
          {t("ops.numbers.history")}
        </Button>
        {number.provider === "graph" && <Pin phone={phone} />}
      </div>
      {opened === "profile" && <ProfileForm phone={phone} />}
      {opened === "codes" && <QrCodes phone={phone} />}
      {opened === "voice" && <VoiceNotes phone={phone} isAutomated={now === "conversations"} onChange={onChange} />}
      {opened === "history" && <QualityHistory phone={phone} />}
      {isAsked && (
        <LiveChange
          title={t(`ops.numbers.set.${next}`)}
          button={t(`ops.numbers.set.${next}`)}
          from={t(`ops.numbers.automation.${now}`)}
          to={t(`ops.numbers.automation.${next}`)}
          effect={t(`ops.numbers.set.${next}.about`)}
          affected={openOf(client, "whatsapp")}
          set={() => set(next)}
          back={() => set(now)}
          done={t("ops.numbers.changed")}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        />
      )}
    </section>
  );
}

// What the provider says about sending now.
function Health({ health }: { health: Actions.Health }) {
  const status = health.healthStatus as { can_send_message?: string; entities?: { errors?: { error_description?: string; possible_solution?: string }[] }[] } | undefined;
  const errors = (status?.entities ?? []).flatMap((one) => one.errors ?? []);
  return (
    <div role="status">
      <p>{named("ops.numbers.health", status?.can_send_message ?? "UNKNOWN")}</p>
      <ul>
        {errors.map((one) => (
          <li key={one.error_description}>
            {one.error_description} {one.possible_solution}
          </li>
        ))}
      </ul>
    </div>
  );
}
