import type { ComponentChildren } from "preact";
import { useApp, useSession } from "../app";
import { LiveSign } from "../live/hooks";
import { partsFor, rightsOf } from "../operations/access";
import { placeOf } from "./router";
import { signOut } from "../session/signout";
import { t, type Key } from "../texts/texts";
import { Icon, type IconName } from "../ui/icons";
import { Button, Menu } from "../ui/controls";
import { Mark } from "./SignIn";

interface Section {
  name: string;
  icon: IconName;
  label: Key;
}

const SECTIONS: Section[] = [
  { name: "all", icon: "inbox", label: "nav.all" },
  { name: "mine", icon: "person", label: "nav.mine" },
  { name: "whatsapp", icon: "chat", label: "nav.whatsapp" },
  { name: "conversations", icon: "robot", label: "nav.conversations" },
  { name: "email_threads", icon: "mail", label: "nav.email_threads" },
  { name: "review", icon: "check", label: "nav.review" },
];

export const OPERATIONS = "operations";
const OPERATIONS_SECTION: Section = { name: OPERATIONS, icon: "gauge", label: "nav.operations" };
export const SECTION_NAMES = SECTIONS.map((section) => section.name);

export function Shell({ section, children }: { section: string; children: ComponentChildren }) {
  const { config } = useApp();
  const session = useSession();
  const rights = rightsOf(session);
  const sections = [...(rights.reads ? SECTIONS : []), ...(partsFor(rights).length ? [OPERATIONS_SECTION] : [])];
  return (
    <div class="shell">
      <nav class="rail" aria-label={t("nav.label")}>
        <a class="rail-brand" href={placeOf("all")} aria-label="Parley">
          <Mark />
        </a>
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
        <span class="rail-space" />
        <LiveSign />
        {config.stage !== "prod" && <span class="stage">{config.stage}</span>}
        <Account />
      </nav>
      {children}
    </div>
  );
}

function Account() {
  const app = useApp();
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
              <p class="quiet">{session.company}</p>
            )}
            <Button icon="out" onClick={() => void signOut(app)}>
              {t("account.signout")}
            </Button>
          </div>
        )}
      </Menu>
    </div>
  );
}
