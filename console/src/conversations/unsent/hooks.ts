import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../app";
import type { KeptFile, KeptFiles } from "./keptFiles";
import type { Unsent } from "./outbox";
import type { Body } from "./stores";

// *onAccepted* is called after each message that the server accepted.
export function useUnsent(form: string, onAccepted: () => void): readonly Unsent<Body>[] {
  const { outbox } = useApp();
  const [items, setItems] = useState(outbox.of(form));
  useEffect(() => {
    setItems(outbox.of(form));
    let accepted = acceptedOf(outbox.of(form));
    return outbox.watch(form, () => {
      const items = outbox.of(form);
      setItems(items);
      const before = accepted;
      accepted = acceptedOf(items);
      if (accepted > before) onAccepted();
    });
  }, [outbox, form]);
  return items;
}

function acceptedOf(items: readonly Unsent<Body>[]): number {
  return items.filter((one) => one.state === "sent").length;
}

export function useKeptFiles<Upload, Problem>(kept: KeptFiles<Upload, Problem>, form: string): readonly KeptFile<Upload, Problem>[] {
  const [files, setFiles] = useState(kept.of(form));
  useEffect(() => {
    setFiles(kept.of(form));
    return kept.onChange(() => setFiles(kept.of(form)));
  }, [kept, form]);
  return files;
}
