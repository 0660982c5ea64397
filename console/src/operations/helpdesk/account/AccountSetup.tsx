// The set-up of the help-desk account, in the order in which it is done: keys, webhook, what belongs to the account.

import type { RichpanelAdmin } from "../../../api/routes";
import { useResource } from "../../../api/resource";
import { useApp } from "../../../app";
import { t } from "../../../texts/texts";
import { Section } from "../../sections";
import { AccountForm } from "./AccountForm";
import { Keys } from "./Keys";
import { Webhook } from "./Webhook";
import "../../../setup/setup.css";

export type Account = RichpanelAdmin.AccountView;

// *teams*: of the help desk, by id, as far as it answers. *onChange*: the check is to be repeated.
export function AccountSetup({ isOperator, teams, onChange }: { isOperator: boolean; teams: Record<string, string>; onChange: () => Promise<unknown> }) {
  const { client } = useApp();
  const account = useResource(async (signal) => (await client.call("GET /admin/richpanel/account", { signal })).result, [client]);
  const changed = async () => {
    await account.reload();
    await onChange();
  };
  return (
    <Section title={t("desk.setup")} about={t("desk.setup.about")} resource={account}>
      {(found) => (
        <>
          {found.company === null ? <p class="notice">{t("desk.setup.no_owner")}</p> : !found.keys.richpanel && <p class="notice">{t("desk.setup.first")}</p>}
          {isOperator ? (
            <>
              <Keys account={found} onChange={changed} />
              <Webhook account={found} onChange={changed} />
            </>
          ) : (
            <p class="quiet">{t("desk.setup.operators")}</p>
          )}
          <AccountForm key={found.number} account={found} teams={teams} onChange={changed} />
        </>
      )}
    </Section>
  );
}
