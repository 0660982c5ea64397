// The people of the company for administrators: invite, roles, teams, the end of sessions, blocks.

import { useState } from "preact/hooks";
import { useAction, useResource } from "../api/resource";
import type { ConsoleOperations } from "../api/routes";
import { useApp, useSession } from "../app";
import { rightsOf } from "../operations/access";
import { linesOf } from "../operations/channels/mailboxes/hours";
import { LiveChange } from "../operations/switches/LiveChange";
import { Confirm, Section, Table } from "../operations/sections";
import { t } from "../texts/texts";
import { Badge, Button, ErrorNotice, Field } from "../ui/controls";
import { useDraft } from "../ui/draft";
import { showToast } from "../ui/toastList";
import { kept } from "./steps/entered";
import { TeamStep } from "./steps/TeamStep";
import "./setup.css";

type Member = ConsoleOperations.MemberView;
type Asked = { member: Member; what: "roles" | "sign_out" | "block" | "admit" };

const ROLES = ["agent", "supervisor", "admin", "operator"] as const;
const FORM = "people";

export function PeoplePage() {
  const { client } = useApp();
  const session = useSession();
  const draft = useDraft(FORM);
  const [asked, setAsked] = useState<Asked | null>(null);
  const members = useResource(async (signal) => (await client.call("GET /operations/people", { signal })).result.people, [client]);
  const entered = kept(draft.text, "");
  const onDone = () => {
    setAsked(null);
    showToast(t("setup.stored"));
    void members.reload();
  };
  return (
    <>
      <Section title={t("ops.part.people")} about={t("people.about")} resource={members}>
        {(rows) => (
          <Table
            label={t("ops.part.people")}
            rows={rows}
            keyOf={(row) => row.person_id}
            empty={t("ops.nothing")}
            columns={[
              { name: t("ops.name"), cell: (row) => <Name row={row} /> },
              { name: t("setup.team.role"), cell: (row) => row.roles.map((role) => t(`people.role.${role}`)).join(", ") || t("ops.unknown") },
              { name: t("people.teams"), cell: (row) => row.teams.join(", ") || t("ops.unknown") },
              { name: t("ops.action"), cell: (row) => <Actions row={row} isSelf={session.person?.principal === `user:${row.person_id}`} onAsk={(what) => setAsked({ member: row, what })} /> },
            ]}
          />
        )}
      </Section>
      <section class="ops-section" aria-label={t("people.invite")}>
        <h2>{t("people.invite")}</h2>
        <TeamStep entered={entered} onEnter={(change) => draft.write(JSON.stringify({ ...entered, ...change }))} onDone={members.reload} />
      </section>
      {asked?.what === "roles" && <Roles member={asked.member} isOperator={rightsOf(session).operator} onClose={() => setAsked(null)} onDone={onDone} />}
      {asked && asked.what !== "roles" && <Ask asked={{ member: asked.member, what: asked.what }} onClose={() => setAsked(null)} onChanged={members.reload} />}
    </>
  );
}

function Name({ row }: { row: Member }) {
  return (
    <>
      <b>{row.name ?? row.email}</b>
      <p class="quiet" dir="ltr">
        {row.email}
      </p>
      {!row.is_enabled && <Badge kind="danger">{t("people.blocked")}</Badge>}
      {row.is_enabled && !row.has_logged_in && <Badge kind="info">{t("people.invited")}</Badge>}
    </>
  );
}

function Actions({ row, isSelf, onAsk }: { row: Member; isSelf: boolean; onAsk: (what: Asked["what"]) => void }) {
  const name = row.name ?? row.email;
  const block = row.is_enabled ? "block" : "admit";
  return (
    <div class="contact-buttons">
      <Button label={t("people.roles_of", { name })} onClick={() => onAsk("roles")}>
        {t("people.roles")}
      </Button>
      <Button label={t("people.sign_out_of", { name })} onClick={() => onAsk("sign_out")}>
        {t("people.sign_out")}
      </Button>
      {!isSelf && (
        <Button label={t(`people.${block}_of`, { name })} onClick={() => onAsk(block)}>
          {t(`people.${block}`)}
        </Button>
      )}
    </div>
  );
}

function Roles({ member, isOperator, onClose, onDone }: { member: Member; isOperator: boolean; onClose: () => void; onDone: () => void }) {
  const { client } = useApp();
  const [roles, setRoles] = useState(member.roles);
  const [teams, setTeams] = useState(member.teams.join(", "));
  const store = useAction(() => client.call("POST /operations/people/{person_id}", { path: { person_id: member.person_id }, body: { roles, teams: linesOf(teams), seen: { roles: member.roles, teams: member.teams } } }));
  const offered = ROLES.filter((role) => role !== "operator" || isOperator || roles.includes("operator"));
  return (
    <Confirm title={t("people.roles_of", { name: member.name ?? member.email })} action={store} button={t("ops.store")} onClose={onClose} onDone={onDone}>
      <fieldset>
        <legend class="field-label">{t("people.roles")}</legend>
        {offered.map((role) => (
          <label key={role} class="choice-line">
            <input
              type="checkbox"
              disabled={role === "operator" && !isOperator}
              checked={roles.includes(role)}
              onChange={() => setRoles(roles.includes(role) ? roles.filter((one) => one !== role) : [...roles, role])}
            />
            <span>{t(`people.role.${role}`)}</span>
          </label>
        ))}
      </fieldset>
      <Field label={t("people.teams_text")} name="teams" error={store.error}>
        <input dir="ltr" value={teams} placeholder="sales, night-shift" onInput={(event) => setTeams(event.currentTarget.value)} />
      </Field>
      <p class="quiet">{t("people.effect.roles")}</p>
      <SecondFactors personId={member.person_id} />
    </Confirm>
  );
}

function SecondFactors({ personId }: { personId: string }) {
  const { client } = useApp();
  const found = useResource(
    async (signal) => (await client.call("GET /operations/people/{person_id}/second-factors", { path: { person_id: personId }, signal })).result.second_factors,
    [client, personId],
  );
  if (found.error) return <ErrorNotice error={found.error} onRetry={() => void found.reload()} />;
  if (found.value === null) return null;
  return <p>{t(found.value.length ? "people.second_factor" : "people.no_second_factor")}</p>;
}

function Ask({ asked: { member, what }, onClose, onChanged }: { asked: { member: Member; what: "sign_out" | "block" | "admit" }; onClose: () => void; onChanged: () => Promise<void> }) {
  const { client } = useApp();
  const path = { person_id: member.person_id };
  const block = (blocked: boolean) => client.call("POST /operations/people/{person_id}/block", { path, body: { blocked } });
  const isOut = what === "sign_out";
  return (
    <LiveChange
      title={t(`people.${what}_of`, { name: member.name ?? member.email })}
      button={t(`people.${what}`)}
      from={t(member.is_enabled ? "people.active" : "people.blocked")}
      to={t(isOut ? "people.signed_out" : what === "block" ? "people.blocked" : "people.active")}
      effect={t(`people.effect.${what}`)}
      set={() => (isOut ? client.call("POST /operations/people/{person_id}/sign-out", { path, body: {} }) : block(what === "block"))}
      back={isOut ? null : () => block(what !== "block")}
      done={t(`people.done.${what}`)}
      onClose={onClose}
      onChanged={onChanged}
    />
  );
}
