// A part of a page that few people need: loaded when it is shown, so that it is not part of the first load.

import type { ComponentChild } from "preact";
import { useResource } from "../api/resource";
import { ErrorNotice, Skeleton } from "./controls";

export function Later<Loaded>({ load, show }: { load: () => Promise<Loaded>; show: (loaded: Loaded) => ComponentChild }) {
  const part = useResource(load, []);
  if (part.value) return <>{show(part.value)}</>;
  return part.error ? <ErrorNotice error={part.error} onRetry={() => void part.reload()} /> : <Skeleton rows={2} kind="row" />;
}
