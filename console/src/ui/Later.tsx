// A part of a page that few people need: loaded when it is shown, so that it is not part of the first load.

import type { ComponentChild } from "preact";
import { useResource, type Resource } from "../api/resource";
import { useApp } from "../app";
import { ErrorNotice, Skeleton } from "./controls";

const PATIENCE_MS = 5_000;

// Browsers ask for a file of scripts once: if it was not answered, only the whole page brings it. So `again` loads the
// page, which unsent texts outlive; without a network the page stays.
export function useLater<Loaded>(load: () => Promise<Loaded>): Resource<Loaded> & { again: () => void } {
  const { client } = useApp();
  const part = useResource(load, []);
  const again = async () => {
    if (await client.probe(PATIENCE_MS)) location.reload();
    else await part.reload();
  };
  return { ...part, again: () => void again() };
}

interface Props<Loaded> {
  load: () => Promise<Loaded>;
  show: (loaded: Loaded) => ComponentChild;
  isPage?: boolean; // it is the content of the page, not a part of it
}

export function Later<Loaded>({ load, show, isPage = false }: Props<Loaded>) {
  const { value, error, again } = useLater(load);
  if (value) return <>{show(value)}</>;
  const state = error ? <ErrorNotice error={error} onRetry={again} /> : <Skeleton rows={isPage ? 4 : 2} kind="row" />;
  return isPage ? <main class="pane">{state}</main> : state;
}
