// The limits of the company on what models cost, what is counted under them, and its bounds on costs of outsiders.

import { useState } from "preact/hooks";
import type { ConsoleOperations } from "../../api/routes";
import { useAction, useResource, type Action } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor } from "../../texts/format";
import { locale, named, t } from "../../texts/texts";
import { Button, Field } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { Confirm, count, Section, Table, Time } from "../sections";

type Shown = ConsoleOperations.SpendingView;
type Stored = ConsoleOperations.SpendingLimitsView;
const FIELDS = ["dollars_per_day", "dollars_per_month", "warn_at_percent"] as const;
type Entered = Record<(typeof FIELDS)[number], string>;

export function Limits() {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const spending = useResource(
    async (signal) => (await client.call("GET /operations/spending", { signal })).result,
    [client],
  );
  return (
    <Section title={t("limits.title")} about={t("limits.about")} resource={spending}>
      {(found) => (
        <>
          <dl class="ops-figures">
            <Counted label={t("limits.today")} dollars={found.limits.dollarsToday} most={found.limits.dollarsPerDay} />
            <Counted label={t("limits.month")} dollars={found.limits.dollarsThisMonth} most={found.limits.dollarsPerMonth} />
          </dl>
          <Form key={found.limits.version} stored={found.limits} onStored={spending.reload} />
          {found.limits.changedBy && (
            <p class="quiet">
              {t("limits.changed", { name: actor(found.limits.changedBy, me) })} <Time at={found.limits.changedAt} />
            </p>
          )}
          <Kinds found={found} />
        </>
      )}
    </Section>
  );
}

function dollars(value: number): string {
  return value.toLocaleString(locale, { style: "currency", currency: "USD", maximumFractionDigits: 2 });
}

function Counted({ label, dollars: spent, most }: { label: string; dollars: number; most: number | null | undefined }) {
  const isFull = most != null && spent >= most;
  return (
    <div class="ops-figure">
      <dt>{label}</dt>
      <dd>{most == null ? t("limits.none") : t("limits.of", { spent: dollars(spent), most: dollars(most) })}</dd>
      {isFull && <dd class="field-problem">{t("limits.reached")}</dd>}
    </div>
  );
}

function Form({ stored, onStored }: { stored: Stored; onStored: () => Promise<void> }) {
  const { client } = useApp();
  const [entered, setEntered] = useState<Entered>(() => textsOf(stored));
  const [asked, setAsked] = useState(false);
  const input = inputOf(stored, entered);
  const set = async (body: ConsoleOperations.SpendingInput) =>
    (await client.call("POST /operations/spending", { body, key: crypto.randomUUID() })).result.limits;
  const change = useAction(async () => {
    const { version } = await set(input);
    showToast(t("limits.are_set"), async () => {
      await set({ ...inputOf(stored, textsOf(stored)), version });
      await onStored();
    });
  });
  const isSame = FIELDS.every((name) => entered[name].trim() === textsOf(stored)[name]);
  return (
    <form
      class="ops-editor"
      aria-label={t("limits.title")}
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
      }}
    >
      {FIELDS.map((name) => (
        <Field key={name} label={t(`limits.${name}`)} name={name} error={change.error}>
          <input
            type="number"
            min={name === "warn_at_percent" ? 1 : 0}
            max={name === "warn_at_percent" ? 100 : 1_000_000}
            step={name === "warn_at_percent" ? 1 : 0.01}
            placeholder={name === "warn_at_percent" ? "80" : t("limits.none")}
            value={entered[name]}
            onInput={(event) => setEntered({ ...entered, [name]: event.currentTarget.value })}
          />
        </Field>
      ))}
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" disabled={isSame}>
          {t("limits.set")}
        </Button>
      </div>
      {asked && <Effect stored={stored} input={input} change={change} onClose={() => setAsked(false)} onStored={onStored} />}
    </form>
  );
}

// Says what the new limits do at once.
function Effect({ stored, input, change, onClose, onStored }: {
  stored: Stored;
  input: ConsoleOperations.SpendingInput;
  change: Action;
  onClose: () => void;
  onStored: () => Promise<void>;
}) {
  const stops =
    isReached(stored.dollarsToday, input.dollars_per_day) || isReached(stored.dollarsThisMonth, input.dollars_per_month);
  const done = () => {
    onClose();
    void onStored();
  };
  return (
    <Confirm title={t("limits.set")} action={change} button={t("limits.set")} onClose={onClose} onDone={done}>
      <p>{t(stops ? "limits.effect.stops" : "limits.effect")}</p>
    </Confirm>
  );
}

function Kinds({ found }: { found: Shown }) {
  return (
    <Table
      label={t("limits.kinds")}
      rows={found.kinds}
      keyOf={(kind) => kind.kind}
      empty={t("ops.nothing")}
      columns={[
        { name: t("limits.kind"), cell: (kind) => <b>{named("limits.kind", kind.kind)}</b> },
        { name: t("limits.units"), isNumber: true, cell: (kind) => t("limits.of", { spent: count(kind.units), most: count(kind.company.units) }) },
        { name: t("limits.dollars"), isNumber: true, cell: (kind) => t("limits.of", { spent: dollars(kind.dollars), most: dollars(kind.company.dollars) }) },
        { name: t("limits.percent"), isNumber: true, cell: (kind) => `${count(kind.percent)} %` },
      ]}
    />
  );
}

function isReached(spent: number, most: number | null | undefined): boolean {
  return most != null && spent >= most;
}

function textsOf(stored: Stored): Entered {
  const text = (value: number | null | undefined) => (value == null ? "" : String(value));
  return {
    dollars_per_day: text(stored.dollarsPerDay),
    dollars_per_month: text(stored.dollarsPerMonth),
    warn_at_percent: text(stored.warnAtPercent),
  };
}

// All limits are sent: an empty field removes one.
function inputOf(stored: Stored, entered: Entered): ConsoleOperations.SpendingInput {
  const number = (text: string) => (text.trim() ? Number(text) : null);
  return {
    version: stored.version,
    dollars_per_day: number(entered.dollars_per_day),
    dollars_per_month: number(entered.dollars_per_month),
    warn_at_percent: number(entered.warn_at_percent),
  };
}
