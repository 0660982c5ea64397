// The looks of issues: colours, font, logo and texts around the text; made and changed by administrators.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { Confirm, Section, Table, Time } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button } from "../../ui/controls";
import { useChange } from "../changes";
import { LookForm } from "./LookForm";
import type { Look } from "../source";

export function Looks() {
  const { client } = useApp();
  const { admin } = rightsOf(useSession());
  const [edited, setEdited] = useState<Look | null>(null);
  const [removed, setRemoved] = useState<Look | null>(null);
  const found = useResource(async (signal) => (await client.call("GET /newsletters/templates", { signal })).result.templates, [client]);
  const remove = useChange(async () => client.call("DELETE /newsletters/templates/{template_id}", { path: { template_id: removed!.template_id } }));
  return (
    <>
      {admin ? <LookForm key={edited?.template_id ?? ""} look={edited} onStored={async () => { setEdited(null); await found.reload(); }} onClose={() => setEdited(null)} /> : <p class="notice">{t("newsletter.looks.by_admins")}</p>}
      <Section title={t("newsletter.looks")} about={t("newsletter.looks.about")} resource={found}>
        {(rows) => (
          <Table
            label={t("newsletter.looks")}
            rows={rows}
            keyOf={({ template_id }) => template_id}
            empty={t(admin ? "newsletter.looks.none" : "newsletter.looks.none_yet")}
            columns={[
              { name: t("newsletter.looks.name"), cell: ({ name }) => <bdi>{name}</bdi> },
              { name: t("newsletter.looks.layout"), cell: ({ layout }) => t(`newsletter.looks.layout.${layout}`) },
              { name: t("newsletter.changed"), cell: ({ updated_at }) => <Time at={updated_at} /> },
              {
                name: t("newsletter.action"),
                cell: (one) =>
                  admin && (
                    <>
                      <Button kind="quiet" label={t("newsletter.looks.change_one", { name: one.name })} onClick={() => setEdited(one)}>
                        {t("newsletter.looks.change")}
                      </Button>
                      <Button kind="quiet" label={t("newsletter.looks.delete_one", { name: one.name })} onClick={() => setRemoved(one)}>
                        {t("newsletter.delete")}
                      </Button>
                    </>
                  ),
              },
            ]}
          />
        )}
      </Section>
      {removed && (
        <Confirm
          title={t("newsletter.looks.delete")}
          action={remove}
          button={t("newsletter.delete")}
          onClose={() => setRemoved(null)}
          onDone={() => {
            setRemoved(null);
            if (edited?.template_id === removed.template_id) setEdited(null);
            void found.reload();
          }}
        >
          <p>{t("newsletter.looks.delete_about")}</p>
        </Confirm>
      )}
    </>
  );
}
