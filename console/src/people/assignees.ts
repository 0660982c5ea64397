// Whom conversations may be assigned to.

import type { ConsoleApi } from "../api/routes";

export type People = ConsoleApi.CompanyPeople;

export interface Assignees {
  mine: string[]; // teams of the person who is signed in
  teams: string[]; // the other ones
  people: string[]; // without the person who is signed in
}

const ANSWERING = ["agent", "supervisor", "admin"]; // operators read no conversations

export function assigneesOf(people: People, me: string | null, myTeams: string[]): Assignees {
  const answering = people.people.filter((one) => one.roles.some((role) => ANSWERING.includes(role)));
  return {
    mine: people.teams.filter((name) => myTeams.includes(name)).map(ofTeam),
    teams: people.teams.filter((name) => !myTeams.includes(name)).map(ofTeam),
    people: answering.map((one) => one.principal).filter((one) => one !== me),
  };
}

function ofTeam(name: string): string {
  return `team:${name}`;
}
