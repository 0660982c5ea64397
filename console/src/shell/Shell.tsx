import type { ComponentChildren } from "preact";
import { useApp, useSession } from "../app";
import { Attention } from "../live/Attention";
import { LiveSign } from "../live/LiveSign";
import { NotificationSettings } from "../live/NotificationSettings";
import { partsFor, rightsOf } from "../operations/access";
import { usePeople } from "../session/people";
import { focusMain } from "./focus";
import { Keys } from "./Keys";
import { HelpOfPlace } from "./Help";
import { placeOf, useRoute } from "./router";
import { sectionsFor } from "./sections";
import { signOut } from "../session/signout";
import { loadTexts, t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { Button, Menu } from "../ui/controls";
import { Later, useLater } from "../ui/Later";
import { Toasts } from "../ui/Toasts";
import { Mark } from "./SignIn";

export function Shell({ section, children }: { section: string; children: ComponentChildren }) {
  const { config } = useApp();
  const session = useSession();
  const rights = rightsOf(session);
  const sections = sectionsFor(rights);
  const [, ...within] = useRoute();
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // the fragment is the place
          focusMain();
        }}
      >
        {t("nav.skip")}
      </a>
      <nav class="rail" aria-label={t("nav.label")}>
        <a class="rail-brand" href={placeOf("all")} aria-label="Parley">
          <Mark />
        </a>
        <div class="rail-links">
          {sections.map((entry) => (
            <a
              key={entry.name}
              class="rail-link"
              href={placeOf(entry.name)}
              aria-current={entry.name === section ? "page" : undefined}
            >
              <Icon name={entry.icon} size={20} />
              <span>{t(entry.label)}</span>
            </a>
          ))}
        </div>
        <HelpOfPlace isEntry place={[section, ...within]} start={partsFor(rights)[0]} />
        <LiveSign />
        {rights.reads && <Notifications key={session.company} />}
        {config.stage !== "prod" && <span class="stage">{config.stage}</span>}
        <Account />
      </nav>
      {children}
      <Keys />
      {rights.reads && <Attention key={session.company} />}
      <Toasts company={session.company} />
    </div>
  );
}

// It is not part of the first load.
function Notifications() {
  const { value, error, again } = useLater(async () => (await Promise.all([import("../notifications/Bell"), loadTexts("notifications")]))[0]);
  if (error) return <Button icon="bell" onClick={again}>{t("action.retry")}</Button>;
  return value && <value.Bell />;
}

function Account() {
  const app = useApp();
  const people = usePeople();
  const session = useSession();
  const person = session.person;
  if (!person) return null;
  return (
    <div class="account">
      <Menu label={t("account.label", { name: person.name })} align="start" button={<Icon name="person" size={20} />}>
        {() => (
          <div class="account-panel">
            <p class="account-name">{person.name}</p>
            {person.companies.length > 1 ? (
              <label class="field">
                <span class="field-label">{t("account.company")}</span>
                <select value={session.company ?? ""} onChange={(event) => session.choose(event.currentTarget.value)}>
                  {person.companies.map(({ company }) => (
                    <option key={company}>{company}</option>
                  ))}
                </select>
              </label>
            ) : (
              <p class="quiet">{people?.company_name ?? session.company}</p>
            )}
            {rightsOf(session).reads && <NotificationSettings />}
            {rightsOf(session).reads && <Later load={async () => (await Promise.all([import("../conversations/email/SignatureForm"), loadTexts("mail")]))[0]} show={({ SignatureForm }) => <SignatureForm />} />}
            <Button icon="out" onClick={() => void signOut(app)}>
              {t("account.signout")}
            </Button>
          </div>
        )}
      </Menu>
    </div>
  );
}
