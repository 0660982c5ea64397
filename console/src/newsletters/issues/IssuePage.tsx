// One issue: its checks, a test, the approval, its time, its progress, and what became of its mails.

import { usePageList } from "../../api/pageList";
import { useRef, useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Affected, LiveChange } from "../../operations/switches/LiveChange";
import { Confirm, count, Section, Table, Time } from "../../operations/sections";
import { go, placeOf } from "../../shell/router";
import { moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field, MoreButton } from "../../ui/controls";
import { useChange } from "../changes";
import { IssueChecks } from "./IssueChecks";
import { MailboxProviders } from "./MailboxProviders";
import { timesOf } from "./issueForm";
import { ResendUnknown } from "./ResendUnknown";
import { PLACE, whyOf, type Issue } from "../source";
import { Subjects } from "./SubjectTest";
import { TestMails } from "./TestMails";

const POLL_MS = 3_000;
const MOST = 50;
const RESULTS = ["audience", "waiting", "sent", "delivered", "delayed", "bounced", "complained", "unsubscribed", "clicked", "likely_automated", "skipped", "failed", "unknown"] as const;
const RECIPIENTS = ["planned", "sending", "sent", "skipped", "failed", "unknown"] as const;
const UNSENT = ["draft", "approved", "scheduled", "missed"];
const OPEN = [...UNSENT, "sending", "paused"];

export function IssuePage({ id }: { id: string }) {
  const { client } = useApp();
  const path = { issue_id: id };
  const found = useResource(async (signal) => (await client.call("GET /newsletters/issues/{issue_id}", { path, signal })).result, [client, id], POLL_MS);
  const issue = found.value;
  return (
    <>
      <Section title={issue?.subject ?? t("newsletter.issue.one")} resource={found}>
        {(shown) => (
          <>
            <Facts issue={shown} />
            <Actions issue={shown} onChange={found.reload} />
          </>
        )}
      </Section>
      {issue && UNSENT.includes(issue.state) && <IssueChecks key={issue.version} issue={issue} onChange={found.reload} />}
      {issue && UNSENT.includes(issue.state) && <TestMails issue={issue} />}
      {issue && !UNSENT.includes(issue.state) && <Results issue={issue} onChange={found.reload} />}
    </>
  );
}

function Facts({ issue }: { issue: Issue }) {
  return (
    <>
      <p role="status">
        <Badge kind={["paused", "missed", "failed"].includes(issue.state) ? "warn" : "info"}>{named("newsletter.issue.state", issue.state)}</Badge>{" "}
        <a class="link" href={placeOf(PLACE, issue.newsletter_code)}>
          {t("newsletter.issue.of")}
        </a>
      </p>
      {issue.state === "paused" && <p class="notice notice-warn">{t("newsletter.issue.paused", { reason: named("newsletter.pause", issue.pause_reason ?? "person") })}</p>}
      {issue.state === "missed" && <p class="notice notice-warn">{t("newsletter.issue.missed")}</p>}
      {issue.state === "scheduled" && issue.scheduled_for && (
        <p>
          {t(issue.in_reader_zone ? "newsletter.issue.scheduled_zones" : "newsletter.issue.scheduled", { at: moment(issue.scheduled_for), zone: issue.timezone ?? "" })}
          {issue.not_after && ` ${t("newsletter.issue.until", { at: moment(issue.not_after) })}`}
        </p>
      )}
      <dl class="newsletter-facts">
        <dt>{t("newsletter.issue.sender")}</dt>
        <dd>
          <bdi>{issue.sender_name}</bdi> &lt;{issue.sender}&gt;
        </dd>
        <dt>{t("newsletter.issue.consent")}</dt>
        <dd>{t(`newsletter.issue.consent.${issue.consent}`)}</dd>
        {issue.started_at && (
          <>
            <dt>{t("newsletter.issue.started")}</dt>
            <dd>
              <Time at={issue.started_at} />
            </dd>
          </>
        )}
        {issue.ended_at && (
          <>
            <dt>{t("newsletter.issue.ended")}</dt>
            <dd>
              <Time at={issue.ended_at} />
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

type Asked = "send" | "cancel" | "delete";

function Actions({ issue, onChange }: { issue: Issue; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<Asked | null>(null);
  const path = { issue_id: issue.issue_id };
  const body = { version: issue.version };
  const acts = {
    send: useChange(async () => client.call("POST /newsletters/issues/{issue_id}/send", { path, body })),
    cancel: useChange(async () => client.call("POST /newsletters/issues/{issue_id}/cancel", { path })),
    delete: useChange(async () => client.call("DELETE /newsletters/issues/{issue_id}", { path })),
  };
  const pause = () => client.call("POST /newsletters/issues/{issue_id}/pause", { path });
  const resume = () => client.call("POST /newsletters/issues/{issue_id}/resume", { path });
  const [turned, setTurned] = useState<"pause" | "resume" | null>(null);
  const waiting = async (signal: AbortSignal) => t("newsletter.issue.waiting", { count: count((await client.call("GET /newsletters/issues/{issue_id}/stats", { path, signal })).result.waiting) });
  const [isUnscheduling, setUnscheduling] = useState(false);
  const unscheduled = useRef(issue);
  const unschedule = async () => {
    unscheduled.current = (await client.call("POST /newsletters/issues/{issue_id}/unschedule", { path, body })).result;
  };
  const { state } = issue;
  const isReady = state === "approved" || state === "scheduled" || state === "missed";
  return (
    <>
      {isReady && <Schedule issue={issue} onChange={onChange} />}
      <div class="ops-editor-end">
        {state === "draft" && <Button onClick={() => setAsked("delete")}>{t("newsletter.issue.delete")}</Button>}
        {OPEN.includes(state) && state !== "draft" && <Button onClick={() => setAsked("cancel")}>{t("newsletter.issue.cancel")}</Button>}
        {state === "scheduled" && <Button onClick={() => setUnscheduling(true)}>{t("newsletter.issue.unschedule")}</Button>}
        {state === "sending" && <Button onClick={() => setTurned("pause")}>{t("newsletter.issue.pause")}</Button>}
        {state === "paused" && (
          <Button kind="primary" onClick={() => setTurned("resume")}>
            {t("newsletter.issue.resume")}
          </Button>
        )}
        {isReady && (
          <Button kind="primary" onClick={() => setAsked("send")}>
            {t("newsletter.issue.send")}
          </Button>
        )}
      </div>
      {isUnscheduling && (
        <LiveChange
          title={t("newsletter.issue.unschedule")}
          button={t("newsletter.issue.unschedule")}
          from={t("newsletter.issue.state.scheduled")}
          to={t("newsletter.issue.state.approved")}
          effect={t("newsletter.issue.unschedule.about")}
          set={unschedule}
          back={() => client.call("POST /newsletters/issues/{issue_id}/schedule", { path, body: timesOf(issue, unscheduled.current.version) })}
          done={t("newsletter.issue.is_unscheduled")}
          onClose={() => setUnscheduling(false)}
          onChanged={onChange}
        />
      )}
      {turned && (
        <LiveChange
          title={t(`newsletter.issue.${turned}`)}
          button={t(`newsletter.issue.${turned}`)}
          from={t(turned === "pause" ? "newsletter.issue.state.sending" : "newsletter.issue.state.paused")}
          to={t(turned === "pause" ? "newsletter.issue.state.paused" : "newsletter.issue.state.sending")}
          effect={t(turned === "pause" ? "newsletter.issue.pause.about" : "newsletter.issue.resume.about")}
          affected={waiting}
          set={turned === "pause" ? pause : resume}
          back={turned === "pause" ? resume : pause}
          done={t(turned === "pause" ? "newsletter.issue.is_paused" : "newsletter.issue.resumed")}
          onClose={() => setTurned(null)}
          onChanged={onChange}
        />
      )}
      {asked && (
        <Confirm
          title={t(`newsletter.issue.${asked}`)}
          action={acts[asked]}
          button={t(`newsletter.issue.${asked}`)}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            if (asked === "delete") go(placeOf(PLACE, issue.newsletter_code, "send"));
            else void onChange();
          }}
        >
          <p>{t(`newsletter.issue.${asked}.about`)}</p>
          {asked === "cancel" && !UNSENT.includes(state) && <Affected count={waiting} />}
        </Confirm>
      )}
    </>
  );
}

function Schedule({ issue, onChange }: { issue: Issue; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [at, setAt] = useState("");
  const [until, setUntil] = useState("");
  const [inReaderZone, setInReaderZone] = useState(false);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const schedule = useChange(async () => {
    const body = { version: issue.version, local: at, timezone: zone, in_reader_zone: inReaderZone, ...(until ? { not_after: until } : {}) };
    await client.call("POST /newsletters/issues/{issue_id}/schedule", { path: { issue_id: issue.issue_id }, body });
    await onChange();
  });
  return (
    <form
      class="ops-choose"
      aria-label={t("newsletter.issue.schedule")}
      onSubmit={(event) => {
        event.preventDefault();
        void schedule.run();
      }}
    >
      <Field label={t("newsletter.issue.at", { zone })} name="local" error={schedule.error}>
        <input type="datetime-local" required value={at} onInput={(event) => setAt(event.currentTarget.value)} />
      </Field>
      <Field label={t("newsletter.issue.not_after")} name="not_after" error={schedule.error}>
        <input type="datetime-local" value={until} onInput={(event) => setUntil(event.currentTarget.value)} />
      </Field>
      {!issue.subject_test && (
        <label class="choice-line">
          <input type="checkbox" checked={inReaderZone} onChange={(event) => setInReaderZone(event.currentTarget.checked)} />
          <span>{t("newsletter.issue.in_reader_zone")}</span>
        </label>
      )}
      <Button type="submit" busy={schedule.busy} disabled={!at}>
        {t("newsletter.issue.schedule")}
      </Button>
      {schedule.error && <ErrorNotice error={schedule.error} fields={["local", "not_after"]} />}
    </form>
  );
}

function Results({ issue, onChange }: { issue: Issue; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const [state, setState] = useState("");
  const path = { issue_id: issue.issue_id };
  const stats = useResource(async (signal) => (await client.call("GET /newsletters/issues/{issue_id}/stats", { path, signal })).result, [client, issue.issue_id], POLL_MS);
  const list = usePageList(
    async (cursor, signal) => {
      const query = { limit: MOST, cursor, ...(state ? { state: state as (typeof RECIPIENTS)[number] } : {}) };
      const { result, cursor: next } = await client.call("GET /newsletters/issues/{issue_id}/recipients", { path, query, signal });
      return { items: result.recipients, cursor: next };
    },
    [client, issue.issue_id, issue.state, state],
  );
  return (
    <>
      <Section title={t("newsletter.results")} resource={stats}>
        {(figures) => (
          <>
            {figures.audience > 0 && (
              <p>
                <progress max={figures.audience} value={figures.audience - figures.waiting} aria-label={t("newsletter.progress")} /> {t("newsletter.handled", { handled: count(figures.audience - figures.waiting), total: count(figures.audience) })}
              </p>
            )}
            <dl class="newsletter-facts">
              {RESULTS.map((one) => (
                <div key={one}>
                  <dt>{t(`newsletter.result.${one}`)}</dt>
                  <dd>{count(figures[one])}</dd>
                </div>
              ))}
            </dl>
            <MailboxProviders stats={figures} />
            {figures.variants.length > 0 && <Subjects issue={issue} stats={figures} onChange={onChange} />}
            {issue.state === "sent" && figures.unknown > 0 && <ResendUnknown issue={issue} onChange={onChange} />}
          </>
        )}
      </Section>
      <Section title={t("newsletter.recipients")} resource={list.first}>
        {() => (
          <>
            <label class="ops-filter">
              <span class="field-label">{t("newsletter.show")}</span>
              <select value={state} onChange={(event) => setState(event.currentTarget.value)}>
                <option value="">{t("newsletter.all")}</option>
                {RECIPIENTS.map((one) => (
                  <option key={one} value={one}>
                    {t(`newsletter.recipient.${one}`)}
                  </option>
                ))}
              </select>
            </label>
            <Table
              label={t("newsletter.recipients")}
              rows={list.items}
              keyOf={(one) => one.contact_id}
              empty={t("newsletter.recipients.none")}
              columns={[
                { name: t("newsletter.person"), cell: ({ contact_id }) => <a class="link" href={placeOf("contacts", contact_id)}>{t("newsletter.contact", { id: contact_id.slice(0, 6) })}</a> },
                { name: t("newsletter.state"), cell: (one) => named("newsletter.recipient", one.state) },
                { name: t("newsletter.why"), cell: ({ reason }) => (reason ? whyOf(reason) : "") },
                { name: t("newsletter.result.delivered"), cell: ({ delivered_at }) => <Time at={delivered_at} /> },
              ]}
            />
            <MoreButton isOffered={list.hasMore} next={list.next} />
          </>
        )}
      </Section>
    </>
  );
}
