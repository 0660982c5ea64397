// The lists of contacts, what the public sees of each, and the form of one: sign-up, archive, sender and welcome mail.

import { useState } from "preact/hooks";
import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { Section, Table } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Button } from "../../ui/controls";
import { Later } from "../../ui/Later";
import { audiencesOf, type PublicList } from "../source";

interface Row {
  id: string;
  name: string;
  published: PublicList | undefined;
}

export function Lists() {
  const { client } = useApp();
  const [opened, open] = useState<string | null>(null);
  const found = useResource(async (signal) => {
    const { lists, published } = await audiencesOf(client, signal);
    return lists.map(({ listId, name }): Row => ({ id: listId, name, published: published.find(({ list_id }) => list_id === listId) }));
  }, [client]);
  return (
    <Section title={t("newsletter.lists")} about={t("newsletter.lists.about")} resource={found}>
      {(rows) => {
        const chosen = rows.find(({ id }) => id === opened);
        return (
          <>
            <Table
              label={t("newsletter.lists")}
              rows={rows}
              keyOf={({ id }) => id}
              empty={t("newsletter.lists.none")}
              columns={[
                { name: t("newsletter.lists.list"), cell: ({ name }) => <bdi>{name}</bdi> },
                { name: t("newsletter.lists.public"), cell: ({ published }) => <Public of={published} /> },
                { name: t("newsletter.lists.welcome"), cell: ({ published }) => (published?.welcome ? <bdi>{published.welcome.subject}</bdi> : t("newsletter.lists.no")) },
                {
                  name: t("newsletter.series.change"),
                  cell: ({ id, name }) => (
                    <Button label={t("newsletter.lists.change_one", { name })} pressed={id === opened} onClick={() => open(id === opened ? null : id)}>
                      {t("newsletter.lists.change")}
                    </Button>
                  ),
                },
              ]}
            />
            {chosen && (
              <Later
                key={chosen.id}
                load={() => import("./ListForm")}
                show={({ ListForm }) => (
                  <ListForm
                    key={chosen.published?.version ?? 0}
                    id={chosen.id}
                    name={chosen.name}
                    of={chosen.published}
                    onClose={() => open(null)}
                    onStored={async () => {
                      await found.reload();
                      open(null);
                    }}
                  />
                )}
              />
            )}
          </>
        );
      }}
    </Section>
  );
}

function Public({ of }: { of: PublicList | undefined }) {
  if (!of) return <>{t("newsletter.lists.hidden")}</>;
  const parts = [of.is_open ? t("newsletter.lists.open") : t("newsletter.lists.closed"), ...(of.has_archive ? [t("newsletter.lists.archive")] : [])];
  return <>{parts.join(", ")}</>;
}
