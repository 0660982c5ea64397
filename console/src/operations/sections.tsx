// Building blocks of the sections: frame with states, table, confirmation.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Action, Resource } from "../api/resource";
import { moment } from "../texts/format";
import { locale, t } from "../texts/texts";
import { Button, ErrorNotice, Skeleton } from "../ui/controls";
import "../ui/styles/pages.css";

interface SectionProps<T> {
  id?: string; // of one that others lead to
  title: string;
  about?: string;
  resource: Resource<T>;
  tools?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}

// Keeps what was loaded while it loads again, and shows an error beside it: it may be outdated then.
export function Section<T>({ id, title, about, resource, tools, children }: SectionProps<T>) {
  const { value, error, loading, reload } = resource;
  return (
    <section class="ops-section" id={id} tabIndex={id ? -1 : undefined} aria-label={title} aria-busy={loading}>
      <header class="ops-head">
        <div>
          <h2>{title}</h2>
          {about && <p class="quiet">{about}</p>}
        </div>
        {tools}
        <Button kind="quiet" busy={loading} onClick={() => void reload()}>
          {t("ops.reload")}
        </Button>
      </header>
      {error && <ErrorNotice error={error} onRetry={() => void reload()} />}
      {value === null ? !error && <Skeleton rows={3} kind="row" /> : children(value)}
    </section>
  );
}

export interface Column<Row> {
  name: string;
  isNumber?: boolean;
  cell: (row: Row) => ComponentChildren;
}

// On a phone each row is a card, with the name of the column before each value.
export function Table<Row>({ label, columns, rows, keyOf, empty }: {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  empty: string;
}) {
  if (rows.length === 0) return <p class="ops-empty">{empty}</p>;
  return (
    <div class="ops-scroll" tabIndex={0} role="region" aria-label={t("ops.table", { name: label })}>
      <table class="ops-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.isNumber ? "ops-number" : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} data-label={column.name} class={column.isNumber ? "ops-number" : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>{t("ops.unknown")}</>;
  return <time dateTime={at}>{moment(at)}</time>;
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? t("ops.unknown") : value.toLocaleString(locale);
}

// A modal dialog: the browser keeps the focus inside, Escape closes it, and the focus returns.
export function Confirm({ title, children, action, button, onClose, onDone }: {
  title: string;
  children: ComponentChildren;
  action: Action;
  button: string;
  onClose: () => void;
  onDone: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key: Escape must close it.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run = async () => {
    if (await action.run()) onDone();
  };
  return (
    <dialog class="ops-dialog" ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      {action.error && <ErrorNotice error={action.error} />}
      <div class="ops-dialog-end">
        <Button onClick={() => dialog.current?.close()}>{t("action.cancel")}</Button>
        <Button kind="primary" busy={action.busy} onClick={() => void run()}>
          {button}
        </Button>
      </div>
    </dialog>
  );
}
