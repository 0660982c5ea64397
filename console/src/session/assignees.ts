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

// Whether a person or team to whom a stored step assigns is no longer there; false while the people are not known.
export function isGone(assignee: string, people: People | null): boolean {
  if (!people?.complete) return false;
  const { mine, teams, people: others } = assigneesOf(people, null, []);
  const isNamed = assignee.startsWith("user:") || assignee.startsWith("team:");
  return isNamed && ![...mine, ...teams, ...others].includes(assignee);
}

function ofTeam(name: string): string {
  return `team:${name}`;
}
