// A new segment: its name, its conditions, and how many people fit before it is stored.

import { useState } from "preact/hooks";
import { useAction } from "../../api/resource";
import { useApp } from "../../app";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, Field, IconButton } from "../../ui/controls";
import type { Definition } from "../source";
import { choicesOf, conditionsOf, fieldsOf, labelOf, operatorsOf, valueText, type Entered, type Join } from "./conditions";
import { CountText, useCount, type List } from "./count";

const FIRST: Entered = { field: "label", operator: "is", text: "" };

interface Props {
  definitions: Definition[];
  lists: List[];
  onStored: () => Promise<void>;
}

export function SegmentForm({ definitions, lists, onStored }: Props) {
  const { client } = useApp();
  const [name, setName] = useState("");
  const [join, setJoin] = useState<Join>("all");
  const [rows, setRows] = useState<Entered[]>([FIRST]);
  const conditions = conditionsOf(join, rows, definitions);
  const count = useCount(async (cursor) => client.call("POST /contacts/segments/count", { body: { conditions, cursor } }));
  const store = useAction(async () => {
    await client.call("POST /contacts/segments", { body: { name: name.trim(), conditions } });
    setName("");
    setRows([FIRST]);
    count.forget();
    await onStored();
  });
  const change = (at: number, row: Entered) => {
    setRows(rows.map((one, number) => (number === at ? row : one)));
    count.forget();
  };
  return (
    <form
      class="segment-form"
      noValidate
      aria-label={t("segment.new")}
      onSubmit={(event) => {
        event.preventDefault();
        void store.run();
      }}
    >
      <h2>{t("segment.new")}</h2>
      <Field label={t("segment.name")} name="name" error={store.error}>
        <input value={name} maxLength={100} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <label class="field">
        <span class="field-label">{t("segment.fits")}</span>
        <select
          value={join}
          onChange={(event) => {
            setJoin(event.currentTarget.value as Join);
            count.forget();
          }}
        >
          <option value="all">{t("segment.fits.all")}</option>
          <option value="any">{t("segment.fits.any")}</option>
        </select>
      </label>
      {rows.map((row, at) => (
        <ComparisonLine
          key={at}
          row={row}
          definitions={definitions}
          lists={lists}
          onChange={(next) => change(at, next)}
          onRemove={rows.length > 1 ? () => setRows(rows.filter((_, number) => number !== at)) : null}
        />
      ))}
      {store.error && <ErrorNotice error={store.error} fields={["name"]} />}
      {count.error && <ErrorNotice error={count.error} />}
      <CountText count={count} />
      <div class="segment-end">
        <Button icon="plus" onClick={() => setRows([...rows, FIRST])}>
          {t("segment.add")}
        </Button>
        <Button busy={count.busy} onClick={() => void count.run()}>
          {t("segment.count")}
        </Button>
        <Button type="submit" kind="primary" busy={store.busy} disabled={!name.trim()}>
          {t("segment.store")}
        </Button>
      </div>
    </form>
  );
}

function ComparisonLine({ row, definitions, lists, onChange, onRemove }: {
  row: Entered;
  definitions: Definition[];
  lists: List[];
  onChange: (row: Entered) => void;
  onRemove: (() => void) | null;
}) {
  const operators = operatorsOf(row.field, definitions);
  const ids = lists.map(({ listId }) => listId);
  const choices = choicesOf(row, definitions, ids);
  const nameOf = (id: string) => lists.find(({ listId }) => listId === id)?.name ?? id;
  const set = (field: string, operator: string) => {
    const next = { field, operator, text: "" };
    onChange({ ...next, text: choicesOf(next, definitions, ids)?.[0] ?? "" });
  };
  return (
    <div class="segment-line" role="group" aria-label={labelOf(row.field, definitions)}>
      <select aria-label={t("segment.field")} value={row.field} onChange={(event) => set(event.currentTarget.value, operatorsOf(event.currentTarget.value, definitions)[0]!)}>
        {fieldsOf(definitions).map((one) => (
          <option key={one} value={one}>
            {labelOf(one, definitions)}
          </option>
        ))}
      </select>
      <select aria-label={t("segment.operator")} value={row.operator} onChange={(event) => set(row.field, event.currentTarget.value)}>
        {operators.map((one) => (
          <option key={one} value={one}>
            {t(`segment.operator.${one}` as "segment.operator.is")}
          </option>
        ))}
      </select>
      {choices ? (
        <select aria-label={t("segment.value")} value={row.text} onChange={(event) => onChange({ ...row, text: event.currentTarget.value })}>
          {choices.map((one) => (
            <option key={one} value={one}>
              {valueText(row.field, one, nameOf)}
            </option>
          ))}
        </select>
      ) : (
        <input aria-label={t("segment.value")} value={row.text} onInput={(event) => onChange({ ...row, text: event.currentTarget.value })} />
      )}
      {onRemove && <IconButton icon="close" label={t("segment.drop")} onClick={onRemove} />}
    </div>
  );
}
