// The WhatsApp templates of the company's accounts: their state and quality at the provider, a new one, and the end of one.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { bodyOf, type Template } from "../../conversations/whatsapp/templateParts";
import { Confirm, Section, Table } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { accountsOf, deleteTemplate, listOf, syncTemplates, type Account } from "./accounts";
import { TemplateForm } from "./TemplateForm";

interface Row {
  account: Account;
  template: Template;
}

export function TemplatesPage() {
  const { client } = useApp();
  const [isNew, setNew] = useState(false);
  const [ending, setEnding] = useState<Row | null>(null);
  const found = useResource(
    async (signal) => {
      const accounts = await accountsOf(client, signal);
      const lists = await Promise.all(accounts.map((account) => listOf(client, account, signal)));
      return { accounts, rows: accounts.flatMap((account, at) => lists[at]!.map((template): Row => ({ account, template }))) };
    },
    [client],
  );
  const sync = useAction(async () => {
    for (const account of found.value?.accounts ?? []) await syncTemplates(client, account);
    await found.reload();
  });
  const end = useAction(async () => {
    if (ending) await deleteTemplate(client, ending.account, ending.template);
  });
  const tools = (
    <>
      <Button busy={sync.busy} onClick={() => void sync.run()}>
        {t("campaign.templates.sync")}
      </Button>
      {!isNew && found.value && found.value.accounts.length > 0 && (
        <Button kind="primary" onClick={() => setNew(true)}>
          {t("campaign.templates.new")}
        </Button>
      )}
    </>
  );
  return (
    <>
      {isNew && found.value && (
        <section class="ops-section" aria-label={t("campaign.templates.new")}>
          <h2>{t("campaign.templates.new")}</h2>
          <TemplateForm
            accounts={found.value.accounts}
            onClose={() => setNew(false)}
            onCreated={() => {
              setNew(false);
              void found.reload();
            }}
          />
        </section>
      )}
      <Section title={t("campaign.templates")} about={t("campaign.templates.about")} resource={found} tools={tools}>
        {({ rows, accounts }) => (
          <>
            {sync.error && <ErrorNotice error={sync.error} onRetry={() => void sync.run()} />}
            <Table
              label={t("campaign.templates")}
              rows={rows}
              keyOf={({ account, template }) => `${account.waba}/${template.name}/${template.language}`}
              empty={t(accounts.length ? "campaign.templates.none" : "campaign.no_number")}
              columns={[
                { name: t("campaign.name"), cell: ({ template: { name, language } }) => <>{name} <span class="quiet">{language}</span></> },
                { name: t("campaign.state"), cell: ({ template }) => <State template={template} /> },
                { name: t("campaign.templates.category"), cell: ({ template: { category } }) => (category ? named("campaign.category", category) : "") },
                { name: t("campaign.templates.quality"), cell: ({ template: { qualityScore } }) => (qualityScore ? named("campaign.quality", qualityScore) : "") },
                { name: t("campaign.preview"), cell: ({ template }) => <span dir="auto">{bodyOf(template)}</span> },
                {
                  name: t("campaign.templates.delete"),
                  cell: (row) => (
                    <Button kind="quiet" label={t("campaign.templates.delete_one", { name: `${row.template.name} (${row.template.language})` })} onClick={() => setEnding(row)}>
                      {t("campaign.templates.delete")}
                    </Button>
                  ),
                },
              ]}
            />
          </>
        )}
      </Section>
      {ending && (
        <Confirm
          title={t("campaign.templates.delete_one", { name: `${ending.template.name} (${ending.template.language})` })}
          action={end}
          button={t("campaign.templates.delete")}
          onClose={() => setEnding(null)}
          onDone={() => {
            setEnding(null);
            void found.reload();
          }}
        >
          <p>{t("campaign.templates.delete_about")}</p>
        </Confirm>
      )}
    </>
  );
}

function State({ template: { status, reason } }: { template: Template }) {
  return (
    <>
      <Badge kind={status === "APPROVED" ? "good" : "plain"}>{status ? named("campaign.approval", status) : t("ops.unknown")}</Badge>
      {reason && reason !== "NONE" && <span class="quiet"> {reason.replaceAll("_", " ").toLowerCase()}</span>}
    </>
  );
}
