// The set-up of a company, step by step (#/operations/setup/whatsapp). What was entered is kept; a step can be done in any order.

import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { rightsOf } from "../operations/access";
import { usePeople } from "../session/people";
import { placeOf, useRoute } from "../shell/router";
import { t } from "../texts/texts";
import { useDraft } from "../ui/draft";
import { Icon } from "../ui/icons";
import { ChannelsStep } from "./steps/ChannelsStep";
import { CompanyStep } from "./steps/CompanyStep";
import { doneOf, kept, stepOf, STEPS, type Entered } from "./steps/entered";
import { TeamStep } from "./steps/TeamStep";
import { TestStep } from "./steps/TestStep";
import { WhatsAppStep } from "./steps/WhatsAppStep";
import "./setup.css";

const FORM = "setup";

export interface StepProps {
  entered: Entered;
  onEnter: (change: Partial<Entered>) => void;
  onDone: () => Promise<void>;
}

export function Setup() {
  const { client } = useApp();
  const session = useSession();
  const people = usePeople();
  const [, , chosen] = useRoute();
  const draft = useDraft(FORM);
  const company = useResource(async (signal) => (await client.call("GET /operations/company", { signal })).result, [client]);
  const phones = useResource(async (signal) => (await client.call("POST /whatsapp/actions/list_phones", { body: { limit: 100 }, signal })).result.phones, [client]);
  const mailboxes = useResource(async (signal) => (await client.call("GET /email-mailboxes", { signal })).result.mailboxes, [client]);
  const rows = useResource(async (signal) => (await client.call("GET /inbox", { query: { context: "whatsapp", limit: 1 }, signal })).result.conversations, [client]);
  const entered = kept(draft.text, Intl.DateTimeFormat().resolvedOptions().timeZone);
  const onEnter = (change: Partial<Entered>) => draft.write(JSON.stringify({ ...entered, ...change }));
  const done = doneOf({
    isNamed: company.value && company.value.name !== null,
    colleagues: people?.people.length ?? null,
    numbers: phones.value?.length ?? null,
    mailboxes: mailboxes.value?.length ?? null,
    conversations: rows.value?.length ?? null,
  });
  const shown = stepOf(chosen ?? null, done);
  const step = { entered, onEnter };
  return (
    <section class="ops-section setup" aria-label={t("setup.title")}>
      <header class="ops-head">
        <div>
          <h2>{t("setup.title")}</h2>
          <p class="quiet">{t("setup.about")}</p>
        </div>
      </header>
      <nav aria-label={t("setup.steps")}>
        <ol class="setup-steps">
          {STEPS.map((one) => (
            <li key={one}>
              <a class="tab" href={placeOf("operations", "setup", one)} aria-current={one === shown ? "step" : undefined}>
                {t(`setup.step.${one}`)}
                {done[one] && (
                  <>
                    {" "}
                    <Icon name="check" size={14} />
                    <span class="unseen">{t("setup.done")}</span>
                  </>
                )}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      {shown === "company" && <CompanyStep {...step} company={company} onDone={company.reload} />}
      {shown === "team" && <TeamStep {...step} onDone={async () => undefined} />}
      {shown === "whatsapp" && <WhatsAppStep {...step} phones={phones.value ?? []} isOperator={rightsOf(session).operator} onDone={phones.reload} />}
      {shown === "channels" && <ChannelsStep {...step} mailboxes={mailboxes.value ?? []} onDone={mailboxes.reload} />}
      {shown === "test" && <TestStep {...step} phones={phones.value ?? []} company={company.value} isOperator={rightsOf(session).operator} onDone={rows.reload} />}
    </section>
  );
}
