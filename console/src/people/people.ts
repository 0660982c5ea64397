// The people and teams of the company. Not known with a login provider that lists none, nor before they are loaded:
// pages then show colleagues by their ids.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { nameColleagues } from "../texts/format";
import { rightsOf } from "../operations/access";
import type { People } from "./assignees";

const AGAIN_MS = 300_000; // the API keeps its answer as long

export const PeopleContext = createContext<People | null>(null);

export function usePeople(): People | null {
  return useContext(PeopleContext);
}

// Loads them for all pages, once and then every five minutes while a page is visible.
export function useLoadedPeople(): People | null {
  const { client, config } = useApp();
  const session = useSession();
  const { company } = session;
  const areListed = config.login?.provider === "cognito" && rightsOf(session).reads;
  const { value } = useResource(
    async (signal) => (areListed ? (await client.call("GET /people", { signal })).result : null),
    [client, company, areListed],
    AGAIN_MS,
  );
  nameColleagues(value?.people ?? []);
  return value;
}
