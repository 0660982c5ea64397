// Contacts from files and to files, for administrators: a part of the pages of operations, loaded with their texts.

import { useResource } from "../../api/resource";
import { useApp } from "../../app";
import { ExportForm } from "./ExportForm";
import { ImportList } from "./ImportList";
import { ImportWizard } from "./ImportWizard";
import { listsOf } from "./source";

export function Exchange() {
  const { client } = useApp();
  const lists = useResource((signal) => listsOf(client, signal), [client]);
  return (
    <>
      <ImportWizard lists={lists.value ?? []} />
      <ImportList />
      <ExportForm lists={lists.value ?? []} />
    </>
  );
}
