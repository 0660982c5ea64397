// The due times of a thread, and how satisfied its customer is.

import type { EmailThreadsApi } from "../../api/routes";
import { moment } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Badge } from "../../ui/controls";
import { Fact } from "../../ui/frame";

const NAMES = ["first_response", "resolution"] as const;
const KINDS: Record<string, string> = { open: "plain", met: "accent", overdue: "danger", late: "warn" };

export function Targets({ thread }: { thread: EmailThreadsApi.OpenedThread }) {
  return (
    <>
      {NAMES.map((name) => {
        const target = thread.service_level?.[name];
        return (
          target && (
            <Fact key={name} label={t(`facts.target.${name}`)}>
              <Badge kind={KINDS[target.state] ?? "plain"}>{named("target", String(target.state))}</Badge>
              {target.running && <span class="quiet"> {t("facts.due", { at: moment(target.due_at) })}</span>}
            </Fact>
          )
        );
      })}
    </>
  );
}

export function SatisfactionFact({ thread }: { thread: EmailThreadsApi.OpenedThread }) {
  const found = thread.satisfaction;
  if (!found) return null;
  const { score } = found;
  if (score) {
    return (
      <Fact label={t("facts.satisfaction")}>
        <span title={moment(found.answered_at ?? "")}>{t("facts.score", { score })}</span>
        {found.comment && <p class="mail-text" dir="auto">{found.comment}</p>}
      </Fact>
    );
  }
  const at = found.asked_at ?? found.ask_at;
  return at ? <Fact label={t("facts.satisfaction")}>{t(found.asked_at ? "facts.asked" : "facts.ask_at", { at: moment(at) })}</Fact> : null;
}
