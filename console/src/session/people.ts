// The people and teams of the company. Not known with a login provider that lists none, nor before they are loaded:
// pages then show colleagues by their ids.

import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { nameColleagues } from "../texts/format";
import { rightsOf } from "../operations/access";
import type { People } from "./assignees";

// The next page of a browser without a language of the console has the company's language.
export const COMPANY_LANGUAGE = "parley:company-language";
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
  useEffect(() => {
    if (value) localStorage.setItem(COMPANY_LANGUAGE, value.language);
  }, [value]);
  return value;
}
