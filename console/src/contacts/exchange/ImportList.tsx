// The imports of the last month, newest first; one at a time shows its report.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useApp, useSession } from "../../app";
import { count, Section, Table, Time } from "../../operations/sections";
import { actor } from "../../texts/format";
import { named, t } from "../../texts/texts";
import { Button, MoreButton } from "../../ui/controls";
import { Report } from "./Report";
import type { ImportState } from "./source";

export function ImportList() {
  const { client } = useApp();
  const me = useSession().person?.principal ?? null;
  const [opened, setOpened] = useState("");
  const imports = usePageList(
    async (cursor, signal) => {
      const answer = await client.call("GET /contacts/imports", { query: { cursor }, signal });
      return { items: answer.result.imports, cursor: answer.cursor };
    },
    [client],
  );
  return (
    <>
      <Section title={t("exchange.imports")} resource={imports.first}>
        {() => (
          <>
            <Table
              label={t("exchange.imports")}
              rows={imports.items}
              keyOf={({ importId }) => importId}
              empty={t("exchange.imports.none")}
              columns={[
                { name: t("exchange.begun"), cell: ({ createdAt }) => <Time at={createdAt} /> },
                { name: t("exchange.person"), cell: ({ createdBy }) => actor(createdBy, me) },
                { name: t("exchange.rows"), isNumber: true, cell: ({ total }) => count(total) },
                { name: t("exchange.state"), cell: (one) => stateOf(one) },
                {
                  name: t("exchange.report"),
                  cell: ({ importId, stage }) =>
                    stage !== "new" && <Button onClick={() => setOpened(importId)}>{t("exchange.show")}</Button>,
                },
              ]}
            />
            <MoreButton isOffered={imports.hasMore} next={imports.next} />
          </>
        )}
      </Section>
      {opened && <Report key={opened} importId={opened} />}
    </>
  );
}

function stateOf({ stage, outcome }: ImportState): string {
  return stage === "done" ? named("exchange.end", outcome ?? "done") : named("exchange.stage", stage);
}
