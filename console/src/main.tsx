import { render } from "preact";
import { Client } from "./api/client";
import { useResource } from "./api/resource";
import { AppContext, useSession, type App } from "./app";
import { loadConfig } from "./session/config";
import { Inbox } from "./inbox/Inbox";
import { jobsOf } from "./inbox/bulk/jobs";
import { Live } from "./live/live";
import { rightsOf } from "./operations/access";
import { PeopleContext, useLoadedPeople } from "./people/people";
import { Review } from "./conversations/review/Review";
import { outboxOf, resume } from "./conversations/unsent/stores";
import { keepFocus } from "./shell/focus";
import { useRoute } from "./shell/router";
import { Session } from "./session/session";
import { CONTACTS, OPERATIONS, SECTION_NAMES } from "./shell/sections";
import { Shell } from "./shell/Shell";
import { SignIn, SignInAgain } from "./shell/SignIn";
import "./ui/style.css";
import { chooseLanguage, loadOperationsTexts, t } from "./texts/texts";
import { Empty, ErrorNotice, Skeleton } from "./ui/controls";

function Pages() {
  const session = useSession();
  const people = useLoadedPeople();
  const [section = rightsOf(session).reads ? "all" : OPERATIONS, context, key] = useRoute();
  const known = SECTION_NAMES.includes(section);
  return (
    <PeopleContext.Provider value={people}>
      <Shell section={section}>
        {section === "review" ? (
          <Review key={session.company} context={context ?? null} conversation={key ?? null} />
        ) : section === CONTACTS && rightsOf(session).reads ? (
          <PersonPage key={session.company} id={context ?? null} />
        ) : section === OPERATIONS ? (
          <OperationsPage key={session.company} part={context ?? null} />
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

// Few people need it: it is not part of the first load.
function OperationsPage({ part }: { part: string | null }) {
  const page = useResource(async () => {
    const [loaded] = await Promise.all([import("./operations/Operations"), loadOperationsTexts()]);
    return loaded;
  }, []);
  if (page.value) return <page.value.Operations part={part} />;
  return (
    <main class="pane">
      {page.error ? <ErrorNotice error={page.error} onRetry={() => void page.reload()} /> : <Skeleton rows={4} kind="row" />}
    </main>
  );
}

function PersonPage({ id }: { id: string | null }) {
  const page = useResource(() => import("./contacts/ContactPage"), []);
  if (page.value) return <page.value.ContactPage key={id} id={id} />;
  return (
    <main class="pane">
      {page.error ? <ErrorNotice error={page.error} onRetry={() => void page.reload()} /> : <Skeleton rows={4} kind="row" />}
    </main>
  );
}

function Root({ failed }: { failed: boolean }) {
  const session = useSession();
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
  await chooseLanguage(navigator.languages);
  let app: App;
  try {
    const config = await loadConfig();
    const session = new Session(config.login);
    const client = new Client(config.apiUrl, session);
    app = { config, session, client, live: new Live(client, session, config.liveUrl !== null), outbox: outboxOf(client), bulk: jobsOf(client) };
  } catch {
    render(<Empty icon="alert" title={t("state.unreachable")} />, root);
    return;
  }
  let failed = false;
  const isReturn = /[?&](code|error)=/.test(location.search);
  try {
    await app.session.begin();
  } catch {
    failed = true;
  }
  if (app.session.state === "out" && app.config.login && !isReturn && isReload()) return app.session.signIn();
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
