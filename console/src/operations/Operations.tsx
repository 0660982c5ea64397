// The pages of operators and administrators: one part at a time, by place (#/operations/parked).

import { useSession } from "../app";
import { Exchange } from "../contacts/exchange/Exchange";
import { placeOf } from "../shell/router";
import { loadTexts, t } from "../texts/texts";
import { Empty } from "../ui/controls";
import { Later } from "../ui/Later";
import { partsFor, rightsOf, type Part, type Rights } from "./access";
import { Audit } from "./records/Audit";
import { Cost } from "./figures/Cost";
import { Decisions } from "./records/Decisions";
import { HelpDesk } from "./helpdesk/HelpDesk";
import { MailboxSettings } from "./channels/mailboxes/MailboxSettings";
import { Limits } from "./figures/Limits";
import { Macros } from "./macros/Macros";
import { Numbers } from "./channels/numbers/Numbers";
import { Overview } from "./overview/Overview";
import { Parked } from "./overview/Parked";
import { Privacy } from "./records/Privacy";
import { Projects } from "./projects/Projects";
import { ServiceLevels } from "./figures/ServiceLevels";
import { DomainsPage } from "../setup/domains/DomainsPage";
import { Findings } from "../setup/Findings";
import { KeysPage } from "../setup/keys/KeysPage";
import { PeoplePage } from "../setup/PeoplePage";
import { WebhooksPage } from "../setup/webhooks/WebhooksPage";
import { Setup } from "../setup/Setup";
import { Switches } from "./switches/Switches";
import { Templates } from "./helpdesk/templates/Templates";

export function Operations({ part }: { part: string | null }) {
  const rights = rightsOf(useSession());
  const parts = partsFor(rights);
  const shown = part === null ? parts[0] : parts.find((one) => one === part);
  if (shown === undefined) {
    return (
      <main class="pane pane-empty">
        <Empty icon="info" title={t("ops.no_access")} />
      </main>
    );
  }
  return (
    <main class="pane ops" aria-label={t("nav.operations")}>
      <h1 class="unseen">{t("nav.operations")}</h1>
      <nav class="tabs ops-tabs" aria-label={t("ops.parts")}>
        {parts.map((one) => (
          <a key={one} class="tab" href={placeOf("operations", one)} aria-current={one === shown ? "page" : undefined}>
            {t(`ops.part.${one}`)}
          </a>
        ))}
      </nav>
      <div class="ops-body" key={shown}>
        <Content part={shown} rights={rights} />
      </div>
    </main>
  );
}

function Content({ part, rights }: { part: Part; rights: Rights }) {
  switch (part) {
    case "overview":
      return <Overview />;
    case "findings":
      return <Findings />;
    case "setup":
      return <Setup />;
    case "people":
      return <PeoplePage />;
    case "keys":
      return <KeysPage />;
    case "webhooks":
      return <WebhooksPage />;
    case "parked":
      return <Parked rights={rights} />;
    case "switches":
      return <Switches rights={rights} />;
    case "helpdesk":
      return <HelpDesk isOperator={rights.operator} />;
    case "decisions":
      return <Decisions />;
    case "templates":
      return <Templates />;
    case "service":
      return <ServiceLevels />;
    case "numbers":
      return <Numbers />;
    case "accounts":
      return <Later key={part} load={() => whatsapp(import("../whatsapp/accounts/AccountsPage"))} show={({ AccountsPage }) => <AccountsPage isOperator={rights.operator} />} />;
    case "forms":
      return <Later key={part} load={() => whatsapp(import("../whatsapp/forms/FormsPage"))} show={({ FormsPage }) => <FormsPage />} />;
    case "catalogs":
      return <Later key={part} load={() => whatsapp(import("../whatsapp/catalogs/CatalogsPage"))} show={({ CatalogsPage }) => <CatalogsPage />} />;
    case "payments":
      return <Later key={part} load={() => whatsapp(import("../whatsapp/payments/PaymentsPage"))} show={({ PaymentsPage }) => <PaymentsPage />} />;
    case "domains":
      return <DomainsPage />;
    case "mailboxes":
      return <MailboxSettings />;
    case "macros":
      return <Macros />;
    case "projects":
      return <Projects />;
    case "contacts":
      return <Exchange />;
    case "privacy":
      return <Privacy />;
    case "cost":
      return (
        <>
          <Limits />
          <Cost />
        </>
      );
    case "audit":
      return <Audit />;
  }
}

// A page of WhatsApp that few people need, with its texts.
async function whatsapp<Loaded>(page: Promise<Loaded>): Promise<Loaded> {
  return (await Promise.all([page, loadTexts("whatsapp")]))[0];
}
