import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { ApiError, asApiError } from "../../api/errors";
import { useApp } from "../../app";
import { linesOf } from "../../operations/channels/mailboxes/hours";
import { usePeople } from "../../session/people";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, errorText, Field } from "../../ui/controls";
import type { StepProps } from "../Setup";

const ROLES = ["agent", "supervisor", "admin"] as const;
type Role = (typeof ROLES)[number];

interface Answer {
  address: string;
  invited: boolean | null; // null: refused
  problem: ApiError | null;
}

export function TeamStep({ entered, onEnter, onDone }: StepProps) {
  const { client } = useApp();
  const people = usePeople();
  const [answers, setAnswers] = useState<Answer[]>([]);
  const invite = useAction(async () => {
    const team = entered.team.trim();
    const found: Answer[] = [];
    setAnswers([]);
    // One after the other: the login provider limits changes.
    for (const address of linesOf(entered.invited)) {
      const body = { email: address, roles: [entered.role as Role], teams: team ? [team] : [] };
      try {
        const { result } = await client.call("POST /operations/people", { body });
        found.push({ address, invited: result.invited, problem: null });
      } catch (failure) {
        found.push({ address, invited: null, problem: asApiError(failure) });
      }
      setAnswers([...found]);
    }
    onEnter({ invited: found.flatMap(({ address, problem }) => (problem ? [address] : [])).join("\n") });
    await onDone();
  });
  return (
    <form
      class="ops-editor"
      aria-label={t("setup.step.team")}
      onSubmit={(event) => {
        event.preventDefault();
        void invite.run();
      }}
    >
      {people && <p class="quiet">{t("setup.team.present", { count: people.people.length })}</p>}
      {invite.error && <ErrorNotice error={invite.error} />}
      <Field label={t("setup.team.name")} name="teams">
        <input dir="ltr" maxLength={32} pattern="[a-z0-9\-]{1,32}" placeholder="sales" value={entered.team} onInput={(event) => onEnter({ team: event.currentTarget.value })} />
      </Field>
      <Field label={t("setup.team.invited")} name="email">
        <textarea dir="ltr" rows={4} required placeholder={"ada@example.com\nben@example.com"} value={entered.invited} onInput={(event) => onEnter({ invited: event.currentTarget.value })} />
      </Field>
      <Field label={t("setup.team.role")} name="roles">
        <select value={entered.role} onChange={(event) => onEnter({ role: event.currentTarget.value })}>
          {ROLES.map((one) => (
            <option key={one} value={one}>
              {t(`setup.role.${one}`)}
            </option>
          ))}
        </select>
      </Field>
      <div role="status">
        <ul class="ops-list">
          {answers.map(({ address, invited, problem }) => (
            <li key={address} class={problem ? "field-problem" : undefined}>
              <span dir="ltr">{address}</span>: {problem ? `${errorText(problem)} ${problem.details.map((one) => one.problem).join(" ")}` : t(invited ? "setup.team.sent" : "setup.team.added")}
            </li>
          ))}
        </ul>
      </div>
      <div class="ops-editor-end">
        <Button type="submit" kind="primary" busy={invite.busy}>
          {t("setup.team.invite")}
        </Button>
      </div>
    </form>
  );
}
