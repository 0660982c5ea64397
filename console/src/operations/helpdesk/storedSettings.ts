// A change of the settings that replies follow: it is a version, and its undo puts the one before in force.

import { useRef } from "preact/hooks";
import { useApp } from "../../app";

export function useVersion(before: number): { store: (settings: Record<string, unknown>) => Promise<void>; back: () => Promise<void> } {
  const { client } = useApp();
  const made = useRef(0); // the version that the change has stored
  return {
    store: async (settings) => {
      made.current = (await client.call("PUT /admin/richpanel/settings", { body: { based_on: before, settings } })).result.number;
    },
    back: async () => {
      if (before > 0) await client.call("POST /admin/richpanel/settings/versions/{number}/live", { path: { number: String(before) }, body: { instead_of: made.current } });
      else await client.call("POST /admin/richpanel/settings/rollback", { body: { number: 0, based_on: made.current } });
    },
  };
}
