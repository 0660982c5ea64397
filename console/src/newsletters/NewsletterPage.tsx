// One newsletter: its steps, from whom it is for to its issues.

import { useResource } from "../api/resource";
import { useState } from "preact/hooks";
import { useApp, useSession } from "../app";
import { Confirm } from "../operations/sections";
import { go, placeOf } from "../shell/router";
import { isolated, named, t } from "../texts/texts";
import { Badge, Button, ErrorNotice, Skeleton } from "../ui/controls";
import { Icon } from "../ui/icons";
import { useChange } from "./changes";
import { DraftStep } from "./steps/DraftStep";
import { Exports } from "./steps/Exports";
import { OutlineStep } from "./steps/OutlineStep";
import { PlanForm } from "./steps/PlanForm";
import { Review } from "./steps/Review";
import { Sending } from "./issues/Sending";
import { TopicsStep } from "./steps/TopicsStep";
import { doneOf, pageOf, PLACE, stepName, STEPS, type Newsletter, type Page } from "./source";

export interface StepProps {
  newsletter: Newsletter;
  isOwn: boolean;
  onChange: () => Promise<void>;
}

export function NewsletterPage({ code, step }: { code: string; step: string | null }) {
  const { client } = useApp();
  const me = useSession().person?.principal;
  const [isDeleting, setDeleting] = useState(false);
  const found = useResource(async (signal) => (await client.call("GET /newsletters/{code}", { path: { code }, signal })).result, [client, code]);
  const remove = useChange(async () => client.call("DELETE /newsletters/{code}", { path: { code } }));
  const newsletter = found.value;
  if (!newsletter) return found.error ? <ErrorNotice error={found.error} onRetry={() => void found.reload()} /> : <Skeleton rows={6} kind="row" />;
  const page = STEPS.find((one) => one === step) ?? pageOf(newsletter);
  const isOwn = newsletter.metadata.user_id === me;
  const props = { newsletter, isOwn, onChange: found.reload };
  return (
    <>
      <section class="ops-section" aria-label={newsletter.metadata.title}>
        <header class="ops-head">
          <div>
            <h2>
              <bdi>{newsletter.metadata.title}</bdi>
            </h2>
            <p>
              <Badge>{named("newsletter.status", newsletter.metadata.status)}</Badge> <span class="quiet">{isolated(code)}</span>
            </p>
            {newsletter.ai_dollars != null && <p class="quiet">{`${t("made.cost")}: $${newsletter.ai_dollars}`}</p>}
          </div>
          {isOwn && (
            <Button kind="quiet" onClick={() => setDeleting(true)}>
              {t("newsletter.delete")}
            </Button>
          )}
        </header>
        {found.error && <ErrorNotice error={found.error} onRetry={() => void found.reload()} />}
        {!isOwn && <p class="notice">{t("newsletter.of_colleague")}</p>}
        <Steps newsletter={newsletter} page={page} />
      </section>
      {page === "plan" && (
        <section class="ops-section" aria-label={stepName("plan")}>
          <h2>{stepName("plan")}</h2>
          {isOwn ? <PlanForm key={newsletter.metadata.version} of={newsletter.metadata} onStored={() => void found.reload().then(() => go(placeOf(PLACE, code, "topics")))} /> : <p>{newsletter.metadata.description}</p>}
        </section>
      )}
      {page === "topics" && <TopicsStep {...props} />}
      {page === "outline" && <OutlineStep {...props} />}
      {page === "draft" && <DraftStep {...props} />}
      {page === "review" && <Review {...props} />}
      {page === "exports" && <Exports {...props} />}
      {page === "send" && <Sending {...props} />}
      {isDeleting && (
        <Confirm title={t("newsletter.delete")} action={remove} button={t("newsletter.delete")} onClose={() => setDeleting(false)} onDone={() => go(placeOf(PLACE))}>
          <p>{t("newsletter.delete.about")}</p>
        </Confirm>
      )}
    </>
  );
}

function Steps({ newsletter, page }: { newsletter: Newsletter; page: Page }) {
  const done = doneOf(newsletter);
  return (
    <nav aria-label={t("newsletter.steps")}>
      <ol class="newsletter-steps">
        {STEPS.map((one) => (
          <li key={one}>
            <a class="tab" href={placeOf(PLACE, newsletter.metadata.newsletter_code, one)} aria-current={one === page ? "step" : undefined}>
              {stepName(one)}
              {done[one] && (
                <>
                  {" "}
                  <Icon name="check" size={14} />
                  <span class="unseen">{t("newsletter.done")}</span>
                </>
              )}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
