// One campaign: whom it reaches before it starts, how far it is, who was left out, and what can be done with it.

import { useState } from "preact/hooks";
import { usePageList } from "../api/pageList";
import { useAction, useResource } from "../api/resource";
import type { Actions } from "../api/routes";
import { useApp } from "../app";
import { LiveChange } from "../operations/switches/LiveChange";
import { Confirm, count, Section, Table, Time } from "../operations/sections";
import { placeOf } from "../shell/router";
import { moment } from "../texts/format";
import { named, t } from "../texts/texts";
import { Badge, Button, ErrorNotice, MoreButton } from "../ui/controls";
import { Cost } from "./costs/Cost";
import { Retry } from "./Retry";
import type { Campaign, Plan, Recipient } from "./source";
import { Trial } from "./trials/Trial";

const POLL_MS = 5_000;
const MOST = 50;
const MOST_AT_ONCE = 100;
const MOST_CALLS = 200; // of a count: 20,000 people
const RESULTS = ["sent", "delivered", "read", "failed", "refused", "invalid", "duplicate", "in_doubt", "cancelled"] as const;
const WAITING = ["draft", "scheduled"];

export function CampaignPage({ id }: { id: string }) {
  const { client } = useApp();
  const body = { campaignId: id };
  const [plan, setPlan] = useState<Plan | null>(null);
  const found = useResource(async (signal) => (await client.call("POST /whatsapp/actions/get_campaign", { body, signal })).result, [client, id], POLL_MS);
  return (
    <>
        <Section title={found.value?.name ?? t("campaign.one")} resource={found}>
          {(campaign) => (
            <>
              <Facts campaign={campaign} />
              {campaign.cost && <Cost cost={campaign.cost} />}
              <Retry campaign={campaign} />
              <Steps campaign={campaign} plan={plan} onChange={found.reload} />
            </>
          )}
        </Section>
        {found.value && <Trial campaign={found.value} onChange={found.reload} />}
        {found.value && <Recipients key={`${found.value.status} ${isUnread(found.value)}`} campaign={found.value} plan={plan} onPlan={setPlan} />}
    </>
  );
}

// Its audience is read when it starts.
function isUnread(campaign: Campaign): boolean {
  return WAITING.includes(campaign.status) && campaign.totalRecipients === undefined;
}

function Facts({ campaign }: { campaign: Campaign }) {
  const { status, outcome, totalRecipients, leftOut, templateName, scheduledAt, startedAt, completedAt, pauseMeaning, pauseReason } = campaign;
  const handled = RESULTS.filter((one) => one !== "delivered" && one !== "read").reduce((sum, one) => sum + valueOf(campaign, one), 0);
  return (
    <>
      <p>
        <Badge kind={status === "running" ? "good" : "plain"}>{named("campaign.status", outcome ?? status)}</Badge> {templateName}
      </p>
      {totalRecipients ? (
        <p>
          <progress max={totalRecipients} value={handled} aria-label={t("campaign.progress")} /> {t("campaign.handled", { handled: count(handled), total: count(totalRecipients) })}
        </p>
      ) : null}
      {status === "paused" && <p class="notice">{t("campaign.paused", { reason: pauseMeaning ?? pauseReason ?? t("ops.unknown") })}</p>}
      {status === "scheduled" && scheduledAt && <p>{t("campaign.starts", { at: moment(scheduledAt) })}</p>}
      <dl class="campaign-facts">
        {startedAt && (
          <>
            <dt>{t("campaign.started")}</dt>
            <dd>
              <Time at={startedAt} />
            </dd>
          </>
        )}
        {completedAt && (
          <>
            <dt>{t("campaign.completed")}</dt>
            <dd>
              <Time at={completedAt} />
            </dd>
          </>
        )}
        {RESULTS.map((one) => (
          <Figure key={one} name={named("campaign.result", one)} value={valueOf(campaign, one)} />
        ))}
        {Object.entries(leftOut ?? {}).map(([reason, value]) => (
          <Figure key={reason} name={named("campaign.reason", reason)} value={value} />
        ))}
      </dl>
    </>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  if (!value) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{count(value)}</dd>
    </>
  );
}

function valueOf(campaign: Campaign, result: (typeof RESULTS)[number]): number {
  return campaign[result === "in_doubt" ? "inDoubt" : result] ?? 0;
}

function Steps({ campaign, plan, onChange }: { campaign: Campaign; plan: Plan | null; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<"start" | "pause" | "resume" | "cancel" | null>(null);
  const body = { campaignId: campaign.campaignId };
  const start = useAction(async () => client.call("POST /whatsapp/actions/start_campaign", { body }));
  const cancel = useAction(async () => client.call("POST /whatsapp/actions/cancel_campaign", { body }));
  const pause = () => client.call("POST /whatsapp/actions/pause_campaign", { body });
  const resume = () => client.call("POST /whatsapp/actions/resume_campaign", { body });
  const left = Math.max(0, (campaign.totalRecipients ?? 0) - (campaign.sent ?? 0));
  const { status, outcome } = campaign;
  const isOver = status === "completed" || outcome === "cancelled";
  const done = () => {
    setAsked(null);
    void onChange();
  };
  return (
    <div class="ops-editor-end">
      {!isOver && <Button onClick={() => setAsked("cancel")}>{t("campaign.cancel")}</Button>}
      {status === "running" && (
        <Button onClick={() => setAsked("pause")}>{t("campaign.pause")}</Button>
      )}
      {status === "paused" && !isOver && (
        <Button kind="primary" onClick={() => setAsked("resume")}>
          {t("campaign.resume")}
        </Button>
      )}
      {WAITING.includes(status) && !campaign.test?.begunAt && (
        <Button kind="primary" onClick={() => setAsked("start")}>
          {t("campaign.start")}
        </Button>
      )}
      {asked === "start" && (
        <Confirm title={t("campaign.start")} action={start} button={t("campaign.start")} onClose={() => setAsked(null)} onDone={done}>
          <p>{t(campaign.test ? "campaign.trial.start_about" : "campaign.start.about")}</p>
          {plan && <p>{t(plan.isExact ? "campaign.start.reaches" : "campaign.start.reaches_at_least", { count: count(plan.counts["reached"] ?? 0) })}</p>}
          {(campaign.cost ?? plan?.cost) && <Cost cost={(campaign.cost ?? plan?.cost)!} />}
          {!campaign.cost && plan && !plan.isExact && <p class="notice">{t("campaign.start.not_all")}</p>}
        </Confirm>
      )}
      {(asked === "pause" || asked === "resume") && (
        <LiveChange
          title={t(`campaign.${asked}`)}
          button={t(`campaign.${asked}`)}
          from={t(asked === "pause" ? "campaign.status.running" : "campaign.status.paused")}
          to={t(asked === "pause" ? "campaign.status.paused" : "campaign.status.running")}
          effect={t(asked === "pause" ? "campaign.pause.about" : "campaign.resume.about", { count: left })}
          set={asked === "pause" ? pause : resume}
          back={asked === "pause" ? resume : pause}
          done={t(asked === "pause" ? "campaign.is_paused" : "campaign.resumed")}
          onClose={() => setAsked(null)}
          onChanged={onChange}
        />
      )}
      {asked === "cancel" && (
        <Confirm title={t("campaign.cancel")} action={cancel} button={t("campaign.cancel")} onClose={() => setAsked(null)} onDone={done}>
          <p>{t("campaign.cancel.about")}</p>
          {Boolean(campaign.totalRecipients) && <p>{t("campaign.cancel.left", { count: count(left) })}</p>}
        </Confirm>
      )}
    </div>
  );
}

function Recipients({ campaign, plan, onPlan }: { campaign: Campaign; plan: Plan | null; onPlan: (plan: Plan) => void }) {
  const { client } = useApp();
  const isDryRun = isUnread(campaign);
  const [outcome, setOutcome] = useState<string>(isDryRun ? "" : RESULTS[0]);
  const list = usePageList<Recipient>(
    async (cursor, signal) => {
      const asked = { campaignId: campaign.campaignId, limit: MOST, ...(cursor ? { cursor } : {}), ...(outcome ? { outcome: outcome as "failed" } : {}) };
      const page = await client.call("POST /whatsapp/actions/get_campaign_recipients", { body: asked, signal });
      onPlan(planOf(page.result));
      return { items: page.result.recipients, cursor: page.cursor };
    },
    [client, campaign.campaignId, outcome],
  );
  const countAll = useAction(async () => {
    let cursor: string | null = null;
    for (let calls = 0; calls < MOST_CALLS; calls += 1) {
      const body = { campaignId: campaign.campaignId, limit: MOST_AT_ONCE, ...(cursor ? { cursor } : {}) };
      const page: Awaited<ReturnType<typeof readPage>> = await readPage(client, body);
      onPlan(planOf(page.result));
      cursor = page.cursor;
      if (!cursor) return;
    }
  });
  const outcomes = isDryRun ? ["reached", "left_out"] : RESULTS;
  return (
    <Section title={t(isDryRun ? "campaign.dry_run" : "campaign.recipients")} about={t(isDryRun ? "campaign.dry_run.about" : "campaign.recipients.about")} resource={list.first}>
      {() => (
        <>
          {isDryRun && plan && (
            <div role="status">
              <dl class="campaign-facts">
                {Object.entries(plan.counts).map(([reason, value]) => (
                  <Figure key={reason} name={named("campaign.reason", reason)} value={value} />
                ))}
              </dl>
              {plan.cost && <Cost cost={plan.cost} />}
              {!plan.isExact && <p class="quiet">{t("campaign.so_far")}</p>}
            </div>
          )}
          {isDryRun && plan && !plan.isExact && (
            <Button busy={countAll.busy} onClick={() => void countAll.run()}>
              {t("campaign.count_all")}
            </Button>
          )}
          {countAll.error && <ErrorNotice error={countAll.error} onRetry={() => void countAll.run()} />}
          <label class="field">
            <span class="field-label">{t("campaign.show")}</span>
            <select value={outcome} onChange={(event) => setOutcome(event.currentTarget.value)}>
              {isDryRun && <option value="">{t("campaign.show.all")}</option>}
              {outcomes.map((one) => (
                <option key={one} value={one}>
                  {named(isDryRun ? "campaign.reason" : "campaign.result", one)}
                </option>
              ))}
            </select>
          </label>
          <Table
            label={t("campaign.recipients")}
            rows={list.items}
            keyOf={(one) => one.messageId ?? one.contactId ?? `${one.line}`}
            empty={t("campaign.recipients.none")}
            columns={[
              { name: t("campaign.person"), cell: (one) => <Person recipient={one} /> },
              { name: t("campaign.outcome"), cell: (one) => named(isDryRun ? "campaign.reason" : "campaign.result", one.outcome) },
              { name: t("campaign.why"), cell: ({ reason }) => (reason ? whyOf(reason) : "") },
            ]}
          />
          <MoreButton isOffered={list.hasMore} next={list.next} />
        </>
      )}
    </Section>
  );
}

async function readPage(client: ReturnType<typeof useApp>["client"], body: { campaignId: string; limit: number; cursor?: string }) {
  return client.call("POST /whatsapp/actions/get_campaign_recipients", { body });
}

function planOf({ counts, cost, exact }: Actions.RecipientsView): Plan {
  return { counts: counts ?? {}, cost: cost ?? null, isExact: exact ?? false };
}

// A reason of the audience, of the send policy, or a code of the provider.
function whyOf(reason: string): string {
  const words = reason.replaceAll("_", " ");
  const known = named("campaign.reason", reason);
  return known === words ? named("reason", reason) : known;
}

function Person({ recipient: { to, toText = to, contactId, line } }: { recipient: Recipient }) {
  const shown = <bdi>{toText ?? t("campaign.person")}</bdi>;
  if (contactId) return <a class="link" href={placeOf("contacts", contactId)}>{shown}</a>;
  if (to || !line) return shown;
  return <>{t("campaign.line", { line })}</>;
}
