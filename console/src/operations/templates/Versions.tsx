// The versions of the shop's settings, and going back to one.

import { useState } from "preact/hooks";
import type { RichpanelAdmin } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { actor, moment } from "../../texts/format";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice } from "../../ui/controls";
import { Confirm, Table, Time } from "../sections";

type Version = RichpanelAdmin.SettingsVersionView;

export function Versions({ inForce, onChange }: { inForce: number; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [asked, setAsked] = useState<Version | null>(null);
  const [key, setKey] = useState("");
  const versions = useResource(
    async (signal) => (await client.call("GET /admin/richpanel/settings/versions", { query: { limit: 20 }, signal })).result.versions,
    [client, inForce],
  );
  const back = useAction(() =>
    client.call("POST /admin/richpanel/settings/rollback", { body: { based_on: inForce, number: asked!.number }, key }),
  );
  const ask = (version: Version) => {
    back.clear();
    setKey(crypto.randomUUID());
    setAsked(version);
  };
  return (
    <section class="ops-versions" aria-label={t("ops.versions")}>
      <h3>{t("ops.versions")}</h3>
      {versions.error && <ErrorNotice error={versions.error} onRetry={() => void versions.reload()} />}
      {versions.value && (
        <Table
          label={t("ops.versions")}
          rows={versions.value}
          keyOf={(version) => String(version.number)}
          empty={t("ops.versions.none")}
          columns={[
            {
              name: t("ops.version"),
              cell: (version) => (
                <>
                  {version.number} {version.number === inForce && <Badge kind="accent">{t("ops.in_force")}</Badge>}
                </>
              ),
            },
            { name: t("ops.at"), cell: (version) => <Time at={version.changed_at} /> },
            { name: t("ops.who"), cell: (version) => <span title={version.changed_by}>{actor(version.changed_by, me)}</span> },
            {
              name: t("ops.action"),
              cell: (version) => version.number !== inForce && <Button onClick={() => ask(version)}>{t("ops.roll_back")}</Button>,
            },
          ]}
        />
      )}
      {asked && (
        <Confirm
          title={t("ops.roll_back.title", { number: asked.number })}
          action={back}
          button={t("ops.roll_back")}
          onClose={() => setAsked(null)}
          onDone={() => {
            setAsked(null);
            void onChange();
          }}
        >
          <p>{t("ops.roll_back.text", { at: moment(asked.changed_at) })}</p>
        </Confirm>
      )}
    </section>
  );
}
