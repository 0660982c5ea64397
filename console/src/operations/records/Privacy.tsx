// Requests that export or erase a person in all contexts: list, a new one with its dry run, receipts, confirmation, ZIP.

import { useEffect, useRef, useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import type { ConsoleApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { dayOf } from "../../campaigns/costs/money";
import { useQuery } from "../../shell/router";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field, MoreButton } from "../../ui/controls";
import { Retention } from "./Retention";
import { Confirm, count, Section, Table, Time } from "../sections";

type Asked = ConsoleApi.PersonRequestView;
type Input = ConsoleApi.PersonInput;

const POLL_MS = 15_000;
const LONGEST_REASON = 200; // characters
const KINDS = ["erase", "export"] as const;
const SUBJECTS = ["phone", "email", "contact_id", "user_id", "external_id", "principal", "ticket_id"] as const;
type SubjectKind = (typeof SUBJECTS)[number];

export function Privacy() {
  const { client } = useApp();
  const [chosen, setChosen] = useState<string | null>(null);
  const [isFourEyes, setFourEyes] = useState(false);
  const requests = usePageList(
    async (cursor, signal) => {
      const answer = await client.call("GET /privacy/requests", { query: { cursor }, signal });
      setFourEyes(answer.result.four_eyes);
      return { items: answer.result.requests, cursor: answer.cursor };
    },
    [client],
  );
  const accepted = (id: string) => {
    setChosen(id);
    void requests.reload();
  };
  return (
    <>
      <NewRequest onAccepted={accepted} />
      {chosen && <Shown key={chosen} id={chosen} onChange={() => void requests.reload()} />}
      <Section title={t("privacy.requests")} resource={requests.first} {...(isFourEyes && { about: t("privacy.four_eyes") })}>
        {() => (
          <>
            <Table
              label={t("privacy.requests")}
              rows={requests.items}
              keyOf={({ id }) => id}
              empty={t("privacy.none")}
              columns={[
                { name: t("privacy.kind"), cell: ({ kind }) => named("privacy.kind", kind) },
                { name: t("privacy.requested"), cell: (one) => <Origin request={one} /> },
                { name: t("ops.reason"), cell: ({ reason, reference }) => [reason, reference].filter(Boolean).join(" · ") },
                { name: t("privacy.due"), cell: (one) => <Due request={one} /> },
                { name: t("ops.state"), cell: ({ stage }) => <Stage stage={stage} /> },
                { name: t("ops.action"), cell: ({ id }) => <Button onClick={() => setChosen(id)}>{t("privacy.show")}</Button> },
              ]}
            />
            <MoreButton isOffered={requests.hasMore} next={requests.next} />
          </>
        )}
      </Section>
      <Retention />
    </>
  );
}

function Origin({ request }: { request: Asked }) {
  const me = useSession().person?.principal ?? null;
  return (
    <>
      <Time at={request.requested_at} />
      <p class="quiet">{actor(request.requested_by, me)}</p>
    </>
  );
}

// The day on which the person has to be answered; late only while the request is open.
function Due({ request: { due_on, stage } }: { request: Asked }) {
  if (!due_on) return <>{t("privacy.due.none")}</>;
  const isLate = (stage === "waiting" || stage === "running") && due_on < new Date().toISOString().slice(0, 10);
  return (
    <>
      <time dateTime={due_on}>{dayOf(due_on)}</time> {isLate && <Badge kind="danger">{t("privacy.due.late")}</Badge>}
    </>
  );
}

function Stage({ stage }: { stage: Asked["stage"] }) {
  return <Badge kind={stage === "waiting" ? "warn" : "plain"}>{named("privacy.stage", stage)}</Badge>;
}

// The dry run shows who it is; the request is made by confirming that.
function NewRequest({ onAccepted }: { onAccepted: (id: string) => void }) {
  const { client } = useApp();
  const [kind, setKind] = useState<Input["kind"]>("export");
  // The page of a contact leads here with its id.
  const given = new URLSearchParams(useQuery()).get("contact_id") ?? "";
  const [by, setBy] = useState<SubjectKind>(given ? "contact_id" : "phone");
  const [name, setName] = useState(given);
  const [reason, setReason] = useState("");
  const [reference, setReference] = useState("");
  const [received, setReceived] = useState("");
  const [found, setFound] = useState<ConsoleApi.PersonRequestState | null>(null);
  const input: Input = { kind, subject: { [by]: name.trim() }, reason, ...(reference.trim() && { reference: reference.trim() }), ...(received && { received_on: received }) };
  const look = useAction(async () => {
    const key = crypto.randomUUID();
    setFound((await client.call("POST /privacy/requests", { body: { ...input, dry_run: true }, key })).result);
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("privacy.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void look.run();
      }}
    >
      <h2>{t("privacy.new")}</h2>
      <p class="quiet">{t("privacy.about")}</p>
      {look.error && <ErrorNotice error={look.error} fields={["reason", "reference", "received_on", `subject.${by}`]} />}
      <Field label={t("privacy.kind")} name="kind" error={look.error}>
        <select value={kind} onChange={(event) => setKind(event.currentTarget.value as Input["kind"])}>
          {[...KINDS].reverse().map((one) => (
            <option key={one} value={one}>
              {named("privacy.kind", one)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={t("privacy.subject")} name="subject">
        <select value={by} onChange={(event) => setBy(event.currentTarget.value as SubjectKind)}>
          {SUBJECTS.map((one) => (
            <option key={one} value={one}>
              {named("privacy.name", one)}
            </option>
          ))}
        </select>
      </Field>
      <Field label={named("privacy.name", by)} name={`subject.${by}`} error={look.error}>
        <input type="text" required autoComplete="off" value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field label={t("privacy.reason")} name="reason" error={look.error}>
        <input type="text" required maxLength={LONGEST_REASON} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </Field>
      <Field label={t("privacy.reference")} name="reference" error={look.error}>
        <input type="text" maxLength={64} value={reference} onInput={(event) => setReference(event.currentTarget.value)} />
      </Field>
      <Field label={t("privacy.received")} name="received_on" error={look.error}>
        <input type="date" value={received} onInput={(event) => setReceived(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={look.busy}>
          {t("privacy.look")}
        </Button>
      </div>
      {found && (
        <Make
          input={input}
          found={found}
          onClose={() => setFound(null)}
          onAccepted={(id) => {
            setFound(null);
            setName("");
            onAccepted(id);
          }}
        />
      )}
    </form>
  );
}

function Make({ input, found, onClose, onAccepted }: {
  input: Input;
  found: ConsoleApi.PersonRequestState;
  onClose: () => void;
  onAccepted: (id: string) => void;
}) {
  const { client } = useApp();
  const [key] = useState(() => crypto.randomUUID());
  const id = useRef("");
  const make = useAction(async () => {
    const { result } = await client.call("POST /privacy/requests", { body: input, key });
    id.current = result.id ?? "";
  });
  return (
    <Confirm
      title={t(input.kind === "erase" ? "privacy.erase.title" : "privacy.export.title")}
      action={make}
      button={named("privacy.kind", input.kind)}
      onClose={onClose}
      onDone={() => onAccepted(id.current)}
    >
      <Names names={found.names ?? []} />
      <p class="quiet">{t("privacy.profiles", { count: found.profiles ?? 0 })}</p>
      <ul>
        {Object.entries(found.conversations ?? {}).map(([context, number]) => (
          <li key={context}>
            {named("context", context)}: <b>{count(number)}</b>
          </li>
        ))}
      </ul>
      {found.is_cut && <p>{t("privacy.is_cut")}</p>}
      {input.kind === "erase" && <p>{t("privacy.erase.text")}</p>}
    </Confirm>
  );
}

function Names({ names }: { names: ConsoleApi.NameView[] }) {
  return (
    <ul>
      {names.map(({ kind, value }) => (
        <li key={`${kind} ${value}`}>
          {named("privacy.name", kind)}: <b>{value}</b>
        </li>
      ))}
    </ul>
  );
}

function Shown({ id, onChange }: { id: string; onChange: () => void }) {
  const { client } = useApp();
  const person = useSession().person;
  const path = { request_id: id };
  const request = useResource(
    async (signal) => (await client.call("GET /privacy/requests/{request_id}", { path, signal })).result,
    [client, id],
    POLL_MS,
  );
  const stage = request.value?.stage;
  useEffect(() => {
    if (stage) onChange();
  }, [stage]);
  const [isAsked, setAsked] = useState(false);
  const [key] = useState(() => crypto.randomUUID());
  const confirm = useAction(() => client.call("POST /privacy/requests/{request_id}/confirm", { path, body: {}, key }));
  return (
    <Section title={t("privacy.request")} resource={request}>
      {(one) => (
        <>
          <p>
            {named("privacy.kind", one.kind)} <Stage stage={one.stage} /> {one.problem && t("privacy.problem", { code: one.problem })}
          </p>
          <Names names={one.names} />
          {one.stage === "waiting" && (
            <p>
              {t("privacy.waits")} <Time at={one.expires_at} />{" "}
              {one.requested_by !== person?.principal && <Button onClick={() => setAsked(true)}>{t("privacy.confirm")}</Button>}
            </p>
          )}
          {one.link && (
            <p>
              <a href={one.link} rel="noreferrer" download>
                {t("privacy.download")}
              </a>
            </p>
          )}
          {one.receipts.length > 0 && <Receipts receipts={one.receipts} />}
          {one.copies_left.length > 0 && <p>{t("privacy.copies_left", { list: one.copies_left.join(", ") })}</p>}
          {isAsked && (
            <Confirm
              title={t("privacy.confirm.title")}
              action={confirm}
              button={t("privacy.confirm")}
              onClose={() => setAsked(false)}
              onDone={() => {
                setAsked(false);
                void request.reload();
              }}
            >
              <Names names={one.names} />
              {one.kind === "erase" && <p>{t("privacy.erase.text")}</p>}
            </Confirm>
          )}
        </>
      )}
    </Section>
  );
}

function Receipts({ receipts }: { receipts: ConsoleApi.ContextReceipt[] }) {
  const left = (listed: ConsoleApi.RemainderView[] | null | undefined) => (
    <ul>
      {(listed ?? []).map(({ kind, reason, until }) => (
        <li key={kind}>
          {reason} {until && <Time at={until} />}
        </li>
      ))}
    </ul>
  );
  return (
    <Table
      label={t("privacy.receipts")}
      rows={receipts}
      keyOf={({ context }) => context}
      empty={t("ops.nothing")}
      columns={[
        { name: t("ops.context"), cell: ({ context }) => named("context", context) },
        {
          name: t("privacy.counts"),
          cell: ({ counts }) => Object.entries(counts).map(([kind, number]) => `${number} ${kind}`).join(", ") || "0",
        },
        { name: t("privacy.kept"), cell: ({ kept }) => left(kept) },
        { name: t("privacy.outside"), cell: ({ outside }) => left(outside) },
      ]}
    />
  );
}
