// The API keys of the company for administrators: list, create, revoke.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp } from "../../app";
import { Confirm, Section, Table, Time } from "../../operations/sections";
import { locale, t } from "../../texts/texts";
import { Badge, Button } from "../../ui/controls";
import { showToast } from "../../ui/toastList";
import { KeyForm } from "./KeyForm";
import { nameOf, Rotation } from "./Rotation";
import { words } from "./scopes";
import "../setup.css";

type Key = ConsoleOperations.ApiKeyView;

const MOST_IN_A_ROW = 3;

export function KeysPage() {
  const { client } = useApp();
  const [asked, setAsked] = useState<Key | null>(null);
  const [replaced, setReplaced] = useState<Key | null>(null);
  const keys = useResource(async (signal) => (await client.call("GET /operations/api-keys", { signal })).result.keys, [client]);
  const onDone = () => {
    setAsked(null);
    showToast(t("keys.revoked"));
    void keys.reload();
  };
  return (
    <>
      <Section title={t("ops.part.keys")} about={t("keys.about")} resource={keys}>
        {(rows) => (
          <Table
            label={t("ops.part.keys")}
            rows={rows}
            keyOf={(row) => row.key_id}
            empty={t("keys.empty")}
            columns={[
              { name: t("ops.name"), cell: (row) => <Name row={row} /> },
              { name: t("keys.scopes"), cell: (row) => <Scopes scopes={row.scopes} /> },
              { name: t("keys.projects"), cell: (row) => row.projects.join(", ") || t("keys.all_projects") },
              { name: t("keys.created"), cell: (row) => <Time at={row.created_at} /> },
              { name: t("keys.used"), cell: (row) => (row.last_used_on ? <Day of={row.last_used_on} /> : t("keys.unused")) },
              { name: t("keys.expires"), cell: (row) => (row.expires_at ? <Time at={row.expires_at} /> : t("keys.never")) },
              { name: t("keys.state"), cell: (row) => <State row={row} /> },
              {
                name: t("ops.action"),
                cell: (row) => (
                  <>
                    {row.state === "active" && !row.successor && (
                      <Button label={t("keys.replace_of", { name: nameOf(row) })} onClick={() => setReplaced(row)}>
                        {t("keys.replace")}
                      </Button>
                    )}
                    {row.state !== "revoked" && (
                      <Button label={t("keys.revoke_of", { name: nameOf(row) })} onClick={() => setAsked(row)}>
                        {t("keys.revoke")}
                      </Button>
                    )}
                  </>
                ),
              },
            ]}
          />
        )}
      </Section>
      <section class="ops-section" aria-label={t("keys.new")}>
        <h2>{t("keys.new")}</h2>
        <KeyForm onCreated={keys.reload} />
      </section>
      {replaced && <Rotation key={replaced.key_id} row={replaced} onCreated={keys.reload} onEnd={() => setReplaced(null)} />}
      {asked && <Revoke row={asked} onClose={() => setAsked(null)} onDone={onDone} />}
    </>
  );
}

// A day of UTC.
function Day({ of }: { of: string }) {
  return <time dateTime={of}>{new Date(of).toLocaleDateString(locale, { timeZone: "UTC" })}</time>;
}

function State({ row }: { row: Key }) {
  return (
    <>
      <Badge kind={row.state === "active" ? "info" : "danger"}>{t(`keys.state.${row.state}`)}</Badge>
      {row.successor && <p class="quiet">{t("keys.replaced_by", { id: row.successor })}</p>}
    </>
  );
}

function Name({ row }: { row: Key }) {
  return (
    <>
      <b>{nameOf(row)}</b>
      <p class="quiet" dir="ltr">
        {row.key_id}
      </p>
    </>
  );
}

function Scopes({ scopes }: { scopes: string[] }) {
  const list = (
    <ul class="ops-list">
      {scopes.map((scope) => (
        <li key={scope}>{words(scope)}</li>
      ))}
    </ul>
  );
  if (scopes.length <= MOST_IN_A_ROW) return list;
  return (
    <details>
      <summary>{t("keys.scopes_count", { count: scopes.length })}</summary>
      {list}
    </details>
  );
}

function Revoke({ row, onClose, onDone }: { row: Key; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const revoke = useAction(() => client.call("POST /operations/api-keys/{key_id}/revoke", { path: { key_id: row.key_id }, body: {} }));
  return (
    <Confirm title={t("keys.revoke_of", { name: nameOf(row) })} action={revoke} button={t("keys.revoke")} onClose={onClose} onDone={onDone}>
      <p>{t("keys.effect.revoke")}</p>
    </Confirm>
  );
}
