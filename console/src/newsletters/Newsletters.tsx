// The newsletters of the company: their list, one newsletter, its issues and their looks, the documents that they are made
// from, and what the public sees of the lists that they go to.

import { useSession } from "../app";
import { rightsOf } from "../operations/access";
import { t } from "../texts/texts";
import { placeOf } from "../shell/router";
import { Documents } from "./documents/Documents";
import { IssuePage } from "./issues/IssuePage";
import { IssueList } from "./issues/IssueList";
import { NewsletterList } from "./NewsletterList";
import { NewsletterPage } from "./NewsletterPage";
import { Later } from "../ui/Later";
import { isIssue, PLACE } from "./source";
import "./newsletters.css";

const DOCUMENTS = "documents"; // instead of the code of a newsletter
const ISSUES = "issues";
const LOOKS = "looks";
const LISTS = "lists";
const MODEL = "model";
const SETTINGS = "settings";

export function Newsletters({ id, step }: { id: string | null; step: string | null }) {
  const { admin } = rightsOf(useSession());
  const tab = id === DOCUMENTS || id === LISTS || id === LOOKS || ((id === MODEL || id === SETTINGS) && admin) ? id : id === ISSUES || (id && isIssue(id)) ? ISSUES : "";
  return (
    <main class="pane ops newsletters" aria-label={t("newsletter.title")}>
      <h1 class="unseen">{t("newsletter.title")}</h1>
      <nav class="tabs ops-tabs" aria-label={t("newsletter.title")}>
        <a class="tab" href={placeOf(PLACE)} aria-current={tab ? undefined : "page"}>
          {t("newsletter.title")}
        </a>
        <a class="tab" href={placeOf(PLACE, ISSUES)} aria-current={tab === ISSUES ? "page" : undefined}>
          {t("newsletter.issues")}
        </a>
        <a class="tab" href={placeOf(PLACE, DOCUMENTS)} aria-current={tab === DOCUMENTS ? "page" : undefined}>
          {t("newsletter.documents")}
        </a>
        <a class="tab" href={placeOf(PLACE, LOOKS)} aria-current={tab === LOOKS ? "page" : undefined}>
          {t("newsletter.looks")}
        </a>
        <a class="tab" href={placeOf(PLACE, LISTS)} aria-current={tab === LISTS ? "page" : undefined}>
          {t("newsletter.lists")}
        </a>
        {admin && (
          <a class="tab" href={placeOf(PLACE, MODEL)} aria-current={tab === MODEL ? "page" : undefined}>
            {t("newsletter.model")}
          </a>
        )}
        {admin && (
          <a class="tab" href={placeOf(PLACE, SETTINGS)} aria-current={tab === SETTINGS ? "page" : undefined}>
            {t("newsletter.settings")}
          </a>
        )}
      </nav>
      <div class="ops-body">
        {tab === DOCUMENTS && <Documents />}
        {tab === LOOKS && <Later load={() => import("./publishing/Looks")} show={({ Looks }) => <Looks />} />}
        {tab === LISTS && <Later load={() => import("./publishing/Lists")} show={({ Lists }) => <Lists />} />}
        {tab === SETTINGS && <Later load={() => import("./publishing/Settings")} show={({ Settings }) => <Settings />} />}
        {tab === MODEL && <Later load={() => import("./model/Model")} show={({ Model }) => <Model />} />}
        {tab === ISSUES && (id === ISSUES ? <IssueList /> : <IssuePage key={id} id={id!} />)}
        {!tab && (id ? <NewsletterPage key={id} code={id} step={step} /> : <NewsletterList />)}
      </div>
    </main>
  );
}
