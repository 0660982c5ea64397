// The people and teams of the company. Not known with a login provider that lists nobody, nor before they are loaded:
// pages then show colleagues by their ids.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ConsoleApi } from "../api/routes";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { nameColleagues } from "../format";

export type People = ConsoleApi.CompanyPeople;

const AGAIN_MS = 300_000; // the API keeps its answer as long
const ANSWERING = ["agent", "supervisor", "admin"]; // operators read no conversations

export const PeopleContext = createContext<People | null>(null);

export function usePeople(): People | null {
  return useContext(PeopleContext);
}

// Loads them for all pages, once and then every five minutes while a page is visible.
export function useLoadedPeople(): People | null {
  const { client, config } = useApp();
  const { company } = useSession();
  const areListed = config.login?.provider === "cognito";
  const { value } = useResource(
    async (signal) => (areListed ? (await client.call("GET /people", { signal })).result : null),
    [client, company, areListed],
    AGAIN_MS,
  );
  nameColleagues(value?.people ?? []);
  return value;
}

export interface Assignees {
  mine: string[]; // teams of the person who is signed in
  teams: string[]; // the other ones
  people: string[]; // without the person who is signed in
}

// Whom conversations may be assigned to.
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
