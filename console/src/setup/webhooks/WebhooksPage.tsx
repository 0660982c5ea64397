// The webhooks of the company for administrators: list, create, pause, replace the secret, test, deliveries.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleApi } from "../../api/routes";
import { useApp } from "../../app";
import { LiveChange } from "../../operations/switches/LiveChange";
import { Confirm, Section, Table, Time } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { Later } from "../../ui/Later";
import { showToast } from "../../ui/toastList";
import { Deliveries } from "./Deliveries";
import { Secret, WebhookForm } from "./WebhookForm";
import "../setup.css";

export type Webhook = ConsoleApi.WebhookView;
type Question = { kind: "pause" | "resume" | "remove" | "rotate" | "edit"; row: Webhook };

const HOURS = [1, 24, 72, 168] as const;

export function WebhooksPage() {
  const { client } = useApp();
  const [question, setQuestion] = useState<Question | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const list = useResource(async (signal) => (await client.call("GET /inbox/webhooks", { signal })).result.webhooks, [client]);
  const shown = list.value?.find((one) => one.webhookId === chosen);
  return (
    <>
      <Section title={t("ops.part.webhooks")} about={t("webhooks.about")} resource={list}>
        {(rows) => (
          <Table
            label={t("ops.part.webhooks")}
            rows={rows}
            keyOf={(row) => row.webhookId}
            empty={t("webhooks.empty")}
            columns={[
              { name: t("ops.name"), cell: (row) => <Name row={row} /> },
              { name: t("webhooks.types"), cell: (row) => <Types row={row} /> },
              { name: t("ops.state"), cell: (row) => <State row={row} /> },
              { name: t("ops.action"), cell: (row) => <Buttons row={row} ask={(kind) => setQuestion({ kind, row })} onDeliveries={() => setChosen(row.webhookId)} /> },
            ]}
          />
        )}
      </Section>
      {shown && <Deliveries key={shown.webhookId} row={shown} />}
      {question?.kind === "edit" && (
        <Later load={() => import("./WebhookEdit")} show={({ WebhookEdit }) => <WebhookEdit key={question.row.webhookId} row={question.row} onChanged={list.reload} onEnd={() => setQuestion(null)} />} />
      )}
      <section class="ops-section" aria-label={t("webhooks.new")}>
        <h2>{t("webhooks.new")}</h2>
        <WebhookForm onCreated={list.reload} />
      </section>
      {question?.kind === "rotate" && <Rotation row={question.row} onRotated={list.reload} onEnd={() => setQuestion(null)} />}
      {question && question.kind !== "rotate" && question.kind !== "edit" && <Change kind={question.kind} row={question.row} onClose={() => setQuestion(null)} onChanged={list.reload} />}
    </>
  );
}

function Name({ row }: { row: Webhook }) {
  return (
    <>
      <b>{row.name}</b>
      <p class="quiet" dir="ltr">
        {row.url}
        {row.hasQuery && "?…"}
      </p>
    </>
  );
}

function Types({ row }: { row: Webhook }) {
  return (
    <details>
      <summary>{t("webhooks.types_count", { count: row.types.length })}</summary>
      <ul class="ops-list">
        {row.types.map((type) => (
          <li key={type}>{t(`webhooks.type.${type}`)}</li>
        ))}
        <li>{row.contexts.map((context) => t(`context.${context}`)).join(", ")}</li>
      </ul>
    </details>
  );
}

function State({ row }: { row: Webhook }) {
  return (
    <>
      <Badge kind={row.state === "active" ? "info" : "danger"}>{t(`webhooks.state.${row.state}`)}</Badge>
      {row.pausedFor && <p class="quiet">{t(`webhooks.paused_for.${row.pausedFor}`)}</p>}
      {row.failingSince && (
        <p class="quiet">
          {t("webhooks.failing")} <Time at={row.failingSince} />
        </p>
      )}
      {row.oldSecretUntil && (
        <p class="quiet">
          {t("webhooks.old_secret")} <Time at={row.oldSecretUntil} />
        </p>
      )}
    </>
  );
}

function Buttons({ row, ask, onDeliveries }: { row: Webhook; ask: (kind: Question["kind"]) => void; onDeliveries: () => void }) {
  const { client } = useApp();
  const test = useAction(async () => {
    await client.call("POST /inbox/webhooks/{webhook_id}/test", { path: { webhook_id: row.webhookId }, body: {} });
    showToast(t("webhooks.test_sent"));
    onDeliveries();
  });
  const name = row.name;
  return (
    <>
      {test.error && <ErrorNotice error={test.error} />}
      <Button label={t("webhooks.deliveries_of", { name })} onClick={onDeliveries}>
        {t("webhooks.deliveries")}
      </Button>
      {row.state === "active" ? (
        <>
          <Button busy={test.busy} label={t("webhooks.test_of", { name })} onClick={() => void test.run()}>
            {t("webhooks.test")}
          </Button>
          <Button label={t("webhooks.pause_of", { name })} onClick={() => ask("pause")}>
            {t("webhooks.pause")}
          </Button>
        </>
      ) : (
        <Button label={t("webhooks.resume_of", { name })} onClick={() => ask("resume")}>
          {t("webhooks.resume")}
        </Button>
      )}
      <Button label={t("webhooks.edit_of", { name })} onClick={() => ask("edit")}>
        {t("webhooks.edit")}
      </Button>
      <Button label={t("webhooks.rotate_of", { name })} onClick={() => ask("rotate")}>
        {t("webhooks.rotate")}
      </Button>
      <Button label={t("webhooks.remove_of", { name })} onClick={() => ask("remove")}>
        {t("webhooks.remove")}
      </Button>
    </>
  );
}

function Change({ kind, row, onClose, onChanged }: { kind: "pause" | "resume" | "remove"; row: Webhook; onClose: () => void; onChanged: () => Promise<unknown> }) {
  const { client } = useApp();
  const path = { webhook_id: row.webhookId };
  const set = (state: Webhook["state"]) => client.call("POST /inbox/webhooks/{webhook_id}", { path, body: { state } });
  const next = kind === "resume" ? "active" : "paused";
  const types = [...row.types].map((type) => t(`webhooks.type.${type}`)).join(", ");
  return (
    <LiveChange
      title={t(`webhooks.${kind}_of`, { name: row.name })}
      button={t(`webhooks.${kind}`)}
      from={t(`webhooks.state.${row.state}`)}
      to={kind === "remove" ? t("webhooks.removed") : t(`webhooks.state.${next}`)}
      effect={t(`webhooks.effect.${kind}`)}
      set={() => (kind === "remove" ? client.call("POST /inbox/webhooks/{webhook_id}/remove", { path, body: {} }) : set(next))}
      back={kind === "remove" ? null : () => set(row.state)}
      done={t(`webhooks.done.${kind}`)}
      onClose={onClose}
      onChanged={onChanged}
    >
      <p>{t("webhooks.affected", { types })}</p>
    </LiveChange>
  );
}

function Rotation({ row, onRotated, onEnd }: { row: Webhook; onRotated: () => Promise<unknown>; onEnd: () => void }) {
  const { client } = useApp();
  const [hours, setHours] = useState(24);
  const [made, setMade] = useState<ConsoleApi.WebhookSecret | null>(null);
  // One id for all attempts: a repeat after a lost answer makes no second secret.
  const [attempt] = useState(() => crypto.randomUUID());
  const rotate = useAction(async () => {
    const { result } = await client.call("POST /inbox/webhooks/{webhook_id}/rotate", { path: { webhook_id: row.webhookId }, body: { keepHours: hours }, key: `${attempt}-${hours}` });
    setMade(result);
    await onRotated();
  });
  if (made) return <Secret made={made} onHide={onEnd} />;
  return (
    <Confirm title={t("webhooks.rotate_of", { name: row.name })} action={rotate} button={t("webhooks.rotate")} onClose={onEnd} onDone={() => undefined}>
      <p>{t("webhooks.effect.rotate")}</p>
      <Field label={t("webhooks.keep")} name="keepHours" error={rotate.error}>
        <select value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
          {HOURS.map((one) => (
            <option key={one} value={one}>
              {t("keys.hours", { count: one })}
            </option>
          ))}
        </select>
      </Field>
    </Confirm>
  );
}
