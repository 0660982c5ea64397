// One of the company's WhatsApp accounts: a page shows what one account has at its provider.

import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { useResource } from "../api/resource";
import { useApp } from "../app";
import { accountsOf, type Account } from "../campaigns/templates/accounts";
import { Section } from "../operations/sections";
import { t, type Key } from "../texts/texts";

interface Props {
  title: Key;
  about: Key;
  children: (account: Account) => ComponentChildren;
}

export function AccountChoice({ title, about, children }: Props) {
  const { client } = useApp();
  const [chosen, setChosen] = useState<string | null>(null);
  const found = useResource((signal) => accountsOf(client, signal), [client]);
  const account = found.value?.find(({ waba }) => waba === chosen) ?? found.value?.[0];
  return (
    <>
      <Section title={t(title)} about={t(about)} resource={found}>
        {(accounts) =>
          accounts.length === 0 ? (
            <p class="ops-empty">{t("ops.numbers.none")}</p>
          ) : (
            accounts.length > 1 && (
              <label class="ops-filter">
                <span class="field-label">{t("wa.account")}</span>
                <select value={account?.waba} onChange={(event) => setChosen(event.currentTarget.value)}>
                  {accounts.map((one) => (
                    <option key={one.waba} value={one.waba}>
                      {one.phones.join(", ")}
                    </option>
                  ))}
                </select>
              </label>
            )
          )
        }
      </Section>
      {account && <div class="ops-list" key={account.waba}>{children(account)}</div>}
    </>
  );
}
