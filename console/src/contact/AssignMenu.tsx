// Assigns a conversation: to oneself, or to someone who has conversations. No API lists the people of a company.

import { useResource } from "../api/resource";
import { useApp } from "../app";
import { actor } from "../format";
import { t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { ErrorNotice, Menu, Skeleton } from "../ui/parts";

interface Props {
  assignee: string | null;
  me: string | null;
  busy: boolean;
  canRemove: boolean;
  onAssign: (assignee: string | null) => void;
}

export function AssignMenu(props: Props) {
  return (
    <Menu label={t("assign.label")} button={<Icon name="person" size={16} />}>
      {(close) => <Choices {...props} onDone={close} />}
    </Menu>
  );
}

function Choices({ assignee, me, busy, canRemove, onAssign, onDone }: Props & { onDone: () => void }) {
  const { client } = useApp();
  const found = useResource(
    async (signal) => {
      const { result } = await client.call("GET /inbox", { query: { limit: 100 }, signal });
      return result.conversations.flatMap((row) => (row.assignee ? [row.assignee] : []));
    },
    [client],
  );
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (found.value === null) return <Skeleton rows={2} kind="row" />;
  const people = [...new Set([...(me ? [me] : []), ...found.value])].filter((one) => one !== assignee);
  const choose = (one: string | null) => {
    onDone();
    onAssign(one);
  };
  return (
    <div class="choices">
      <p class="choices-title">{t("assign.label")}</p>
      {people.map((one) => (
        <button key={one} type="button" class="choice" disabled={busy} onClick={() => choose(one)}>
          {actor(one, me)}
        </button>
      ))}
      {assignee && canRemove && (
        <button type="button" class="choice" disabled={busy} onClick={() => choose(null)}>
          {t("action.unassign")}
        </button>
      )}
    </div>
  );
}
