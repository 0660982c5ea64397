// The due times of a thread.

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
