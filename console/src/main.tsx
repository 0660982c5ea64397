import { render, type ComponentChild } from "preact";
import { Client } from "./api/client";
import { AppContext, useSession, type App } from "./app";
import { loadConfig } from "./session/config";
import { Inbox } from "./inbox/Inbox";
import { jobsOf } from "./inbox/bulk/jobs";
import { Live } from "./live/live";
import { rightsOf } from "./operations/access";
import { COMPANY_LANGUAGE, PeopleContext, useLoadedPeople } from "./session/people";
import { outboxOf, resume } from "./conversations/unsent/stores";
import { keepFocus } from "./shell/focus";
import { placeOf, useRoute } from "./shell/router";
import { keepReturned } from "./session/returned";
import { Session } from "./session/session";
import { BEGIN, CAMPAIGNS, CONTACTS, NEWSLETTERS, OPERATIONS, REPORTS, SECTION_NAMES, SEGMENTS } from "./shell/sections";
import { Shell } from "./shell/Shell";
import { SignIn, SignInAgain } from "./shell/SignIn";
import "./ui/styles/style.css";
import { chooseLanguage, loadTexts, t, type Part } from "./texts/texts";
import { Empty } from "./ui/controls";
import { Later } from "./ui/Later";

function Pages() {
  const session = useSession();
  const people = useLoadedPeople();
  const [section = rightsOf(session).reads ? "all" : OPERATIONS, context, key] = useRoute();
  const known = SECTION_NAMES.includes(section);
  return (
    <PeopleContext.Provider value={people}>
      <Shell section={section}>
        {section === "review" ? (
          <LaterPage key={section + session.company} load={() => import("./conversations/review/Review")} parts={[]} show={({ Review }) => <Review context={context ?? null} conversation={key ?? null} />} />
        ) : section === SEGMENTS && rightsOf(session).reads ? (
          <LaterPage key={SEGMENTS + session.company} load={() => import("./contacts/segments/SegmentsPage")} parts={["segments"]} show={({ SegmentsPage }) => <SegmentsPage />} />
        ) : section === CAMPAIGNS && rightsOf(session).approves ? (
          <LaterPage key={CAMPAIGNS + session.company} load={() => import("./campaigns/Campaigns")} parts={["operations", "segments", "campaigns"]} show={({ Campaigns }) => <Campaigns id={context ?? null} />} />
        ) : section === NEWSLETTERS && rightsOf(session).approves ? (
          <LaterPage key={NEWSLETTERS + session.company} load={() => import("./newsletters/Newsletters")} parts={["operations", "newsletters", "setup"]} show={({ Newsletters }) => <Newsletters id={context ?? null} step={key ?? null} />} />
        ) : section === CONTACTS && rightsOf(session).reads ? (
          <LaterPage key={CONTACTS + session.company} load={() => import("./contacts/ContactPage")} parts={["contact"]} show={({ ContactPage }) => <ContactPage key={context} id={context ?? null} />} />
        ) : section === REPORTS && rightsOf(session).reads ? (
          <LaterPage key={REPORTS + session.company} load={() => import("./reports/Reports")} parts={["operations", "ratings", "reports"]} show={({ Reports }) => <Reports part={context ?? null} />} />
        ) : section === OPERATIONS ? (
          <LaterPage key={OPERATIONS + session.company} load={() => import("./operations/Operations")} parts={["operations", "setup", "mail"]} show={({ Operations }) => <Operations part={context ?? null} />} />
        ) : known ? (
          <Inbox key={session.company} section={section} context={context ?? null} conversation={key ?? null} />
        ) : (
          <main class="pane">
            <Empty icon="search" title={t("state.no_page")} />
          </main>
        )}
      </Shell>
    </PeopleContext.Provider>
  );
}

// A page that few people need is not part of the first load, nor are its texts.
function LaterPage<Loaded>({ load, parts, show }: { load: () => Promise<Loaded>; parts: Part[]; show: (loaded: Loaded) => ComponentChild }) {
  return <Later isPage load={async () => (await Promise.all([load(), loadTexts(...parts)]))[0]} show={show} />;
}

function Root({ failed }: { failed: boolean }) {
  const session = useSession();
  const [place, token] = useRoute();
  if (session.state === "out" && place === BEGIN && token) {
    return <LaterPage key={token} load={() => import("./setup/Begin")} parts={["setup"]} show={({ Begin }) => <Begin token={token} />} />;
  }
  if (session.state === "out") return <SignIn failed={failed} />;
  return (
    <>
      <Pages />
      {session.state === "ended" && <SignInAgain />}
    </>
  );
}

// A reload ends the session, as tokens are in memory; the login pages may still know the person.
function isReload(): boolean {
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return entry?.type === "reload";
}

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  const asked = loadConfig();
  asked.catch(() => undefined); // awaited below
  let app: App;
  try {
    await chooseLanguage([...navigator.languages, localStorage.getItem(COMPANY_LANGUAGE) ?? ""]);
    const config = await asked;
    const session = new Session(config.login);
    const client = new Client(config.apiUrl, session);
    app = { config, session, client, live: new Live(client, session, config.liveUrl !== null), outbox: outboxOf(client), bulk: jobsOf(client) };
  } catch {
    render(<Empty icon="alert" title={t("state.unreachable")} />, root);
    return;
  }
  if (keepReturned()) return app.session.signIn();
  let failed = false;
  const isReturn = /[?&](code|error)=/.test(location.search);
  try {
    await app.session.begin();
  } catch {
    failed = true;
  }
  const isBegin = location.hash.startsWith(placeOf(BEGIN)); // which needs no login
  if (app.session.state === "out" && app.config.login && !isReturn && !isBegin && isReload()) return app.session.signIn();
  app.live.start();
  if (app.session.state === "in") resume(app.outbox);
  keepFocus(root);
  render(
    <AppContext.Provider value={app}>
      <Root failed={failed} />
    </AppContext.Provider>,
    root,
  );
}

void start();
