// The forms (WhatsApp Flows) of an account: list, a new one, and the page of one.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import type { Actions } from "../../api/routes";
import { useApp } from "../../app";
import type { Account } from "../../campaigns/templates/accounts";
import { Section, Table } from "../../operations/sections";
import { named, t } from "../../texts/texts";
import { Button, MoreButton } from "../../ui/controls";
import { AccountChoice } from "../AccountChoice";
import { FormPanel } from "./FormPanel";
import { FormState } from "./FormState";
import { NewForm } from "./NewForm";
import "../whatsapp.css";

type Form = Actions.Form;

const PAGE = 50;

export function FormsPage() {
  return (
    <AccountChoice title="ops.part.forms" about="forms.about">
      {(account) => <Forms account={account} />}
    </AccountChoice>
  );
}

function Forms({ account }: { account: Account }) {
  const { client } = useApp();
  const [isNew, setNew] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const forms = usePageList<Form>(
    async (cursor, signal) => {
      const answer = await client.call("POST /whatsapp/actions/list_flows", { body: { metaWabaId: account.waba, limit: PAGE, ...(cursor && { cursor }) }, signal });
      return { items: answer.result.flows, cursor: answer.cursor };
    },
    [client, account.waba],
  );
  const onCreated = (flowId: string | null) => {
    setNew(false);
    setOpened(flowId);
    void forms.reload();
  };
  const tools = !isNew && (
    <Button kind="primary" onClick={() => setNew(true)}>
      {t("forms.new")}
    </Button>
  );
  return (
    <>
      {isNew && <NewForm account={account} onCreated={onCreated} onClose={() => setNew(false)} />}
      <Section title={t("forms.list")} resource={forms.first} tools={tools}>
        {() => (
          <>
            <Table
              label={t("forms.list")}
              rows={forms.items}
              keyOf={({ flowId }) => flowId}
              empty={t("forms.none")}
              columns={[
                { name: t("ops.name"), cell: ({ name, flowId }) => <bdi>{name ?? flowId}</bdi> },
                { name: t("ops.state"), cell: (form) => <FormState form={form} /> },
                { name: t("forms.categories"), cell: ({ categories = [] }) => categories.map((one) => named("forms.category", one)).join(", ") },
                {
                  name: t("ops.action"),
                  cell: ({ flowId, name }) => (
                    <Button label={t("forms.open_of", { name: name ?? flowId })} pressed={opened === flowId} onClick={() => setOpened(opened === flowId ? null : flowId)}>
                      {t("forms.open")}
                    </Button>
                  ),
                },
              ]}
            />
            <MoreButton isOffered={forms.hasMore} next={forms.next} />
          </>
        )}
      </Section>
      {opened && (
        <FormPanel
          key={opened}
          account={account}
          flowId={opened}
          onChange={forms.reload}
          onGone={() => {
            setOpened(null);
            void forms.reload();
          }}
        />
      )}
    </>
  );
}
