// The help desk: the set-up of its account, whether it answers, languages and teams, what dry run would have done, and the switch from dry run to live and back.

import type { RichpanelAdmin } from "../../api/routes";
import { useResource, type Resource } from "../../api/resource";
import { useApp } from "../../app";
import { named, t } from "../../texts/texts";
import { Badge } from "../../ui/controls";
import { Later } from "../../ui/Later";
import { Section, Table, Time } from "../sections";
import { Forecast } from "./Forecast";
import { Speech } from "./Speech";

type Health = RichpanelAdmin.HealthView;

export function HelpDesk({ isOperator }: { isOperator: boolean }) {
  const { client } = useApp();
  const health = useResource(async (signal) => (await client.call("GET /admin/richpanel/health", { signal })).result, [client]);
  return (
    <>
      <Later load={() => import("./account/AccountSetup")} show={({ AccountSetup }) => <AccountSetup isOperator={isOperator} teams={health.value?.teams ?? {}} onChange={health.reload} />} />
      <Account health={health} />
      <Forecast />
      <Speech />
    </>
  );
}

// Whether the help desk, the shop, the model, tables and queues answer.
function Account({ health }: { health: Resource<Health> }) {
  return (
    <Section title={t("desk.account")} about={t("desk.account.about")} resource={health}>
      {(found) => (
        <>
          <p>
            <Badge kind={found.healthy ? "good" : "danger"}>{t(found.healthy ? "desk.healthy" : "desk.unhealthy")}</Badge> {t("desk.swept")} <Time at={found.swept_at} />
          </p>
          <Table
            label={t("desk.account")}
            rows={rowsOf(found)}
            keyOf={([name]) => name}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.name"), cell: ([name]) => named("desk.check", name) },
              { name: t("ops.state"), cell: ([, state]) => <Badge kind={state === "ok" ? "good" : "warn"}>{state === "ok" ? t("desk.ok") : state.replaceAll("_", " ")}</Badge> },
            ]}
          />
        </>
      )}
    </Section>
  );
}

// Problems first.
function rowsOf(health: Health): [string, string][] {
  const isOk = ([, state]: [string, string]) => Number(state === "ok");
  return Object.entries(health.checks).sort((a, b) => isOk(a) - isOk(b));
}
