// Shows the conversations of one team or person.

import { useSession } from "../app";
import { actor } from "../texts/format";
import { assigneesOf } from "../session/assignees";
import { usePeople } from "../session/people";
import { t } from "../texts/texts";

export function AssigneeFilter({ chosen, onChoose }: { chosen: string | null; onChoose: (assignee: string | null) => void }) {
  const people = usePeople();
  const session = useSession();
  const me = session.person?.principal ?? null;
  if (!people) return null;
  const found = assigneesOf(people, me, session.teams);
  const isListed = chosen === null || chosen === me || [...found.mine, ...found.teams, ...found.people].includes(chosen);
  return (
    <select aria-label={t("inbox.assignee")} value={chosen ?? ""} onChange={(event) => onChoose(event.currentTarget.value || null)}>
      <option value="">{t("inbox.assignee_all")}</option>
      {me && <option value={me}>{actor(me, me)}</option>}
      {!isListed && <option value={chosen}>{actor(chosen, me)}</option>}
      <Group label={t("assign.my_teams")} members={found.mine} />
      <Group label={t("assign.teams")} members={found.teams} />
      <Group label={t("assign.people")} members={found.people} />
    </select>
  );
}

function Group({ label, members }: { label: string; members: string[] }) {
  if (!members.length) return null;
  return (
    <optgroup label={label}>
      {members.map((one) => (
        <option key={one} value={one}>
          {actor(one, null)}
        </option>
      ))}
    </optgroup>
  );
}
