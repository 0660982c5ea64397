// The domains of the company's mail for operators: the DNS records to publish, and which of them are seen.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp } from "../../app";
import { Section, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../../ui/controls";
import { useDraft } from "../../ui/draft";
import { showToast } from "../../ui/toastList";
import { Copied } from "../Copied";
import "../setup.css";

type Domain = ConsoleOperations.EmailDomain;
type Row = Domain["records"][number];

const FORM = "email-domains";
const KINDS = { found: "info", pending: "plain", missing: "danger", unknown: "warn" } as const;

export function DomainsPage() {
  const { client } = useApp();
  const [chosen, setChosen] = useState("");
  const list = useResource(async (signal) => (await client.call("GET /operations/email-domains", { signal })).result, [client]);
  const domains = list.value?.domains ?? [];
  const shown = domains.includes(chosen) ? chosen : domains[0];
  const onAdded = async (domain: string) => {
    await list.reload();
    setChosen(domain);
  };
  return (
    <>
      <Section title={t("ops.part.domains")} about={t("domains.about")} resource={list} tools={shown && <Choice domains={domains} shown={shown} onChoose={setChosen} />}>
        {({ is_complete }) => (
          <>
            {!is_complete && <p class="quiet">{t("domains.incomplete")}</p>}
            {!shown && <p class="ops-empty">{t("domains.empty")}</p>}
          </>
        )}
      </Section>
      {shown && <Records key={shown} domain={shown} />}
      <section class="ops-section" aria-label={t("domains.new")}>
        <h2>{t("domains.new")}</h2>
        <AddForm onAdded={onAdded} />
      </section>
    </>
  );
}

function Choice({ domains, shown, onChoose }: { domains: string[]; shown: string; onChoose: (domain: string) => void }) {
  return (
    <label class="ops-filter">
      <span class="field-label">{t("domains.domain")}</span>
      <select dir="ltr" value={shown} onChange={(event) => onChoose(event.currentTarget.value)}>
        {domains.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

function Records({ domain }: { domain: string }) {
  const { client } = useApp();
  const found = useResource(async (signal) => (await client.call("GET /operations/email-domains/{domain}", { path: { domain }, signal })).result, [client, domain]);
  return (
    <Section title={domain} about={t("domains.publish")} resource={found}>
      {(value) => (
        <>
          <ul class="ops-list">
            <li>{t(`domains.identity.${value.identity}`)}</li>
            <li>{t(value.receives ? "domains.receives" : "domains.receives_not")}</li>
          </ul>
          <Table
            label={t("domains.records")}
            rows={value.records}
            keyOf={(row) => `${row.type} ${row.name}`}
            empty={t("ops.nothing")}
            columns={[
              { name: t("domains.purpose"), cell: (row) => t(`domains.purpose.${row.purpose}`) },
              { name: t("domains.type"), cell: (row) => row.type },
              { name: t("domains.record"), cell: (row) => <Text row={row} /> },
              { name: t("ops.state"), cell: (row) => <Badge kind={KINDS[row.state]}>{t(`domains.state.${row.state}`)}</Badge> },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function Text({ row }: { row: Row }) {
  return (
    <>
      <Copied label={t("ops.name")} value={row.name} />
      <Copied label={t("domains.value")} value={row.value} />
    </>
  );
}

function AddForm({ onAdded }: { onAdded: (domain: string) => Promise<unknown> }) {
  const { client } = useApp();
  const draft = useDraft(FORM);
  const add = useAction(async () => {
    const body = { domain: draft.text.trim() };
    const { result } = await client.call("POST /operations/email-domains", { body, key: draft.keyFor(body) });
    draft.sent(draft.text);
    showToast(t("domains.added"));
    await onAdded(result.domain);
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("domains.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void add.run();
      }}
    >
      <p class="quiet">{t("domains.effect")}</p>
      {add.error && <ErrorNotice error={add.error} fields={["domain"]} />}
      <Field label={t("domains.domain")} name="domain" error={add.error}>
        <input dir="ltr" required maxLength={253} placeholder="support.example.com" value={draft.text} onInput={(event) => draft.write(event.currentTarget.value)} />
      </Field>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={add.busy}>
          {t("domains.add")}
        </Button>
      </div>
    </form>
  );
}
