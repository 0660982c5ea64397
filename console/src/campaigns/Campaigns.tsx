// The campaigns of the company, and a new one.

import { useState } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp } from "../app";
import { count, Section, Table, Time } from "../operations/sections";
import { campaignsOf } from "../reports/accounts";
import { go, placeOf } from "../shell/router";
import { named, t } from "../texts/texts";
import { Button } from "../ui/controls";
import { CampaignForm } from "./CampaignForm";
import { CampaignPage } from "./CampaignPage";
import { TemplatesPage } from "./templates/TemplatesPage";
import { PRICES } from "./costs/Cost";
import { PricesPage } from "./costs/PricesPage";
import "./campaigns.css";

const MOST = 100; // of each account
const POLL_MS = 30_000;

const TEMPLATES = "templates"; // instead of the id of a campaign

export function Campaigns({ id }: { id: string | null }) {
  const pages = [
    { name: t("campaign.title"), own: null },
    { name: t("campaign.templates"), own: TEMPLATES },
    { name: t("campaign.prices"), own: PRICES },
  ];
  const shown = pages.find(({ own }) => own === id) ?? pages[0];
  return (
    <main class="pane ops campaigns" aria-label={t("campaign.title")}>
      <h1 class="unseen">{t("campaign.title")}</h1>
      <nav class="tabs ops-tabs" aria-label={t("campaign.title")}>
        {pages.map(({ name, own }) => (
          <a key={name} class="tab" href={own ? placeOf("campaigns", own) : placeOf("campaigns")} aria-current={own === shown!.own ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <div class="ops-body">{id === TEMPLATES ? <TemplatesPage /> : id === PRICES ? <PricesPage /> : id ? <CampaignPage key={id} id={id} /> : <CampaignList />}</div>
    </main>
  );
}

function CampaignList() {
  const { client } = useApp();
  const [isNew, setNew] = useState(false);
  const found = useResource((signal) => campaignsOf(client, MOST, signal), [client], POLL_MS);
  const tools = !isNew && (
    <Button kind="primary" onClick={() => setNew(true)}>
      {t("campaign.new")}
    </Button>
  );
  return (
    <>
        {isNew && (
          <section class="ops-section" aria-label={t("campaign.new")}>
            <h2>{t("campaign.new")}</h2>
            <CampaignForm onClose={() => setNew(false)} onCreated={(campaignId) => go(placeOf("campaigns", campaignId))} />
          </section>
        )}
        <Section title={t("campaign.title")} about={t("campaign.about")} resource={found} tools={tools}>
          {(campaigns) => (
            <Table
              label={t("campaign.title")}
              rows={[...campaigns].sort((one, other) => other.createdAt.localeCompare(one.createdAt))}
              keyOf={({ campaignId }) => campaignId}
              empty={t("campaign.none")}
              columns={[
                { name: t("campaign.name"), cell: ({ campaignId, name }) => <a class="link" href={placeOf("campaigns", campaignId)}>{name}</a> },
                { name: t("campaign.state"), cell: ({ status, outcome }) => named("campaign.status", outcome ?? status) },
                { name: t("campaign.created"), cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: t("campaign.recipients"), isNumber: true, cell: ({ totalRecipients }) => (totalRecipients === undefined ? "" : count(totalRecipients)) },
                { name: t("campaign.result.sent"), isNumber: true, cell: ({ sent }) => count(sent) },
                { name: t("campaign.result.read"), isNumber: true, cell: ({ read }) => count(read) },
              ]}
            />
          )}
        </Section>
    </>
  );
}
