// Parked events and dead letters of each context, and putting them back.

import { useRef, useState } from "preact/hooks";
import type { WhatsappAdmin } from "../../api/routes";
import { usePageList } from "../../api/pageList";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { named, t } from "../../texts/texts";
import { Badge, Button, MoreButton } from "../../ui/controls";
import type { Rights } from "../access";
import { adviceOf, mayBeReplayed } from "./parkedReasons";
import { Confirm, Section, Table, Time } from "../sections";

const CONTEXTS = ["whatsapp", "conversations", "email-threads", "newsletters", "richpanel"] as const;
type Context = (typeof CONTEXTS)[number];
type Event = WhatsappAdmin.ParkedEvent;
type Letter = WhatsappAdmin.DeadLetter;

export function Parked({ rights }: { rights: Rights }) {
  const [context, setContext] = useState<Context>("whatsapp");
  return (
    <>
      <div class="tabs" role="group" aria-label={t("ops.context")}>
        {CONTEXTS.map((one) => (
          <button key={one} type="button" class="tab" aria-pressed={one === context} onClick={() => setContext(one)}>
            {named("context", one.replace("-", "_"))}
          </button>
        ))}
      </div>
      <Events key={context} context={context} />
      {rights.operator && <Letters key={`${context}-letters`} context={context} />}
    </>
  );
}

function Events({ context }: { context: Context }) {
  const { client } = useApp();
  const [state, setState] = useState<"waiting" | "all">("waiting");
  const [asked, setAsked] = useState<Event | "all" | null>(null);
  const [outcome, setOutcome] = useState<string | null>(null);
  const events = usePageList(
    async (cursor, signal) => {
      const answer = await client.call(`GET /${context}/parked`, { query: { state, limit: 50, cursor }, signal });
      return { items: answer.result.events, cursor: answer.cursor };
    },
    [client, context, state],
  );
  const tools = (
    <>
      <label class="ops-filter">
        <span class="field-label">{t("ops.state")}</span>
        <select value={state} onChange={(event) => setState(event.currentTarget.value as "waiting" | "all")}>
          <option value="waiting">{t("ops.parked.waiting")}</option>
          <option value="all">{t("ops.parked.all")}</option>
        </select>
      </label>
      <Button onClick={() => setAsked("all")} disabled={!events.items.length}>
        {t("ops.replay_all")}
      </Button>
    </>
  );
  return (
    <Section title={t("ops.part.parked")} about={t("ops.parked.about")} resource={events.first} tools={tools}>
      {() => (
        <>
          {outcome && (
            <p class="notice" role="status">
              {outcome}
            </p>
          )}
          <EventTable rows={events.items} onReplay={setAsked} />
          <MoreButton isOffered={events.hasMore} next={events.next} />
          {asked && (
            <Replay
              context={context}
              event={asked === "all" ? null : asked}
              onClose={() => setAsked(null)}
              onDone={(text) => {
                setAsked(null);
                setOutcome(text);
                void events.reload();
              }}
            />
          )}
        </>
      )}
    </Section>
  );
}

function EventTable({ rows, onReplay }: { rows: Event[]; onReplay: (event: Event) => void }) {
  return (
    <Table
      label={t("ops.part.parked")}
      rows={rows}
      keyOf={(event) => event.eventId}
      empty={t("ops.parked.none")}
      columns={[
        {
          name: t("ops.reason"),
          cell: (event) => (
            <>
              <b>{event.reason ?? t("ops.unknown")}</b>
              <p class="quiet">{[event.kind, event.source, event.company].filter(Boolean).join(" · ")}</p>
              <Reason event={event} />
            </>
          ),
        },
        { name: t("ops.parked_at"), cell: (event) => <Time at={event.parkedAt} /> },
        {
          name: t("ops.state"),
          cell: (event) => (
            <>
              <Badge kind={event.state === "open" ? "warn" : "plain"}>{named("parked", event.state)}</Badge>
              {event.replayedAt && <p class="quiet">{t("ops.replayed_at", { count: event.replayCount ?? 1 })}</p>}
            </>
          ),
        },
        { name: t("ops.id"), cell: (event) => <code>{event.correlationId ?? event.eventId}</code> },
        {
          name: t("ops.action"),
          cell: (event) =>
            mayBeReplayed(event.reason, event.state) && <Button onClick={() => onReplay(event)}>{t("ops.replay")}</Button>,
        },
      ]}
    />
  );
}

// What a person can do, and the structure of the event, which has no content.
function Reason({ event }: { event: Event }) {
  const advice = adviceOf(event.reason);
  return (
    <>
      {advice && <p>{t(`parked.advice.${advice}`)}</p>}
      {event.payload != null && (
        <details>
          <summary>{t("parked.structure")}</summary>
          <pre class="ops-outline">{JSON.stringify(event.payload, null, 2)}</pre>
        </details>
      )}
    </>
  );
}

function Replay({ context, event, onClose, onDone }: {
  context: Context;
  event: Event | null;
  onClose: () => void;
  onDone: (outcome: string) => void;
}) {
  const { client } = useApp();
  const [key] = useState(() => crypto.randomUUID());
  const outcome = useRef("");
  const action = useAction(async () => {
    if (event) {
      await client.call(`POST /${context}/parked/{event_id}/replay`, { path: { event_id: event.eventId }, body: {}, key });
      outcome.current = t("ops.replayed", { count: 1 });
      return;
    }
    const { result } = await client.call(`POST /${context}/parked/replay`, { body: { limit: 100 }, key });
    const refused = result.refused.map((one) => `${one.eventId}: ${one.why}`).join(", ");
    outcome.current = t("ops.replayed", { count: result.replayed.length }) + (refused ? ` ${t("ops.refused", { list: refused })}` : "");
  });
  return (
    <Confirm
      title={t(event ? "ops.replay.title" : "ops.replay_all.title")}
      action={action}
      button={t("ops.replay")}
      onClose={onClose}
      onDone={() => onDone(outcome.current)}
    >
      {event && (
        <p>
          {t("ops.reason")}: <b>{event.reason ?? t("ops.unknown")}</b>
        </p>
      )}
      {event && <Reason event={event} />}
      <p>{t("ops.replay.text")}</p>
    </Confirm>
  );
}

function Letters({ context }: { context: Context }) {
  const { client } = useApp();
  const [asked, setAsked] = useState<Letter | null>(null);
  const letters = useResource(
    async (signal) => (await client.call(`GET /${context}/dead-letters`, { query: { limit: 50 }, signal })).result,
    [client, context],
  );
  return (
    <Section title={t("ops.dead_letters")} about={t("ops.letters.about")} resource={letters}>
      {(found) => (
        <>
          <Table
            label={t("ops.dead_letters")}
            rows={found.letters}
            keyOf={(letter) => letter.id}
            empty={t("ops.letters.none")}
            columns={[
              {
                name: t("ops.reason"),
                cell: (letter) => (
                  <>
                    <b>{letter.reason}</b>
                    <p class="quiet">{[letter.kind, letter.source, letter.queue].filter(Boolean).join(" · ")}</p>
                  </>
                ),
              },
              { name: t("ops.since"), cell: (letter) => <Time at={letter.deadSince} /> },
              { name: t("ops.id"), cell: (letter) => <code>{letter.correlationId ?? letter.id}</code> },
              { name: t("ops.action"), cell: (letter) => <Button onClick={() => setAsked(letter)}>{t("ops.redrive")}</Button> },
            ]}
          />
          {asked && (
            <Redrive
              context={context}
              letter={asked}
              onClose={() => setAsked(null)}
              onDone={() => {
                setAsked(null);
                void letters.reload();
              }}
            />
          )}
        </>
      )}
    </Section>
  );
}

function Redrive({ context, letter, onClose, onDone }: { context: Context; letter: Letter; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const [key] = useState(() => crypto.randomUUID());
  const [refusal, setRefusal] = useState<string | null>(null);
  const action = useAction(async () => {
    const { result } = await client.call(`POST /${context}/dead-letters/redrive`, { body: { ids: [letter.id] }, key });
    const refused = result.letters.find((one) => one.refused)?.refused ?? (result.missing.length ? t("ops.letter_missing") : null);
    setRefusal(refused);
    if (refused === null) onDone();
  });
  return (
    <Confirm title={t("ops.redrive.title")} action={action} button={t("ops.redrive")} onClose={onClose} onDone={() => undefined}>
      <p>
        {t("ops.reason")}: <b>{letter.reason}</b>
      </p>
      <p>{t("ops.redrive.text")}</p>
      {refusal && (
        <p class="field-problem" role="alert">
          {t("ops.refused", { list: refusal })}
        </p>
      )}
    </Confirm>
  );
}
