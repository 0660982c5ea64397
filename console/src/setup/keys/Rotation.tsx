// A successor of an API key: with the same permissions, shown once, while the old key stays valid for some hours.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import type { ConsoleOperations } from "../../api/routes";
import { useApp } from "../../app";
import { Confirm } from "../../operations/sections";
import { t } from "../../texts/texts";
import { Field } from "../../ui/controls";
import { Shown } from "./KeyForm";

type Key = ConsoleOperations.ApiKeyView;

const HOURS = [1, 24, 72, 168] as const;

export function Rotation({ row, onCreated, onEnd }: { row: Key; onCreated: () => Promise<unknown>; onEnd: () => void }) {
  const { client } = useApp();
  const [hours, setHours] = useState(24);
  const [created, setCreated] = useState<ConsoleOperations.ApiKeyCreated | null>(null);
  // One id for all attempts: a repeat after a lost answer makes no second key.
  const [attempt] = useState(() => crypto.randomUUID());
  const rotate = useAction(async () => {
    const { result } = await client.call("POST /operations/api-keys/{key_id}/rotate", { path: { key_id: row.key_id }, body: { keep_hours: hours }, key: `${attempt}-${hours}` });
    setCreated(result);
    await onCreated();
  });
  if (created) return <Shown created={created} onHide={onEnd} />;
  return (
    <Confirm title={t("keys.replace_of", { name: nameOf(row) })} action={rotate} button={t("keys.replace")} onClose={onEnd} onDone={() => undefined}>
      <p>{t("keys.effect.replace")}</p>
      <Field label={t("keys.keep")} name="keep_hours" error={rotate.error}>
        <select value={hours} onChange={(event) => setHours(Number(event.currentTarget.value))}>
          {HOURS.map((one) => (
            <option key={one} value={one}>
              {t("keys.hours", { count: one })}
            </option>
          ))}
        </select>
      </Field>
    </Confirm>
  );
}

export function nameOf(row: Key): string {
  return row.name || row.key_id;
}
