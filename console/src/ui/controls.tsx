// Small parts of pages, and the designed states: loading, empty, failed.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isOf, type ApiError } from "../api/errors";
import type { Action } from "../api/resource";
import { initials } from "../texts/format";
import { named, t } from "../texts/texts";
import { Icon, type IconName } from "./icons";

const TINTS = 6;

export function Avatar({ name, size = "m" }: { name: string; size?: "s" | "m" }) {
  const tint = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) >>> 0, 7) % TINTS;
  return (
    <span class={`avatar avatar-${size} tint-${tint}`} aria-hidden="true">
      {/\p{L}/u.test(name) ? initials(name) : <Icon name="person" size={size === "s" ? 14 : 18} />}
    </span>
  );
}

export function Badge({ kind = "plain", children }: { kind?: string; children: ComponentChildren }) {
  return <span class={`badge badge-${kind}`}>{children}</span>;
}

interface ButtonProps {
  children: ComponentChildren;
  onClick?: () => void;
  kind?: "primary" | "plain" | "quiet";
  icon?: IconName;
  busy?: boolean;
  disabled?: boolean;
  type?: "button" | "submit";
  label?: string;
  pressed?: boolean;
}

export function Button({ children, onClick, kind = "plain", icon, busy, disabled, type = "button", label, pressed }: ButtonProps) {
  return (
    <button
      type={type}
      class={`button button-${kind}`}
      data-icon={icon}
      disabled={disabled}
      aria-disabled={busy || undefined} // it keeps the focus
      aria-busy={busy}
      aria-label={label}
      title={icon && typeof children === "string" ? children : undefined} // in a narrow head only the icon is shown
      aria-pressed={pressed}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}

export function IconButton({ icon, label, onClick, pressed }: { icon: IconName; label: string; onClick: () => void; pressed?: boolean }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} aria-pressed={pressed} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
    </div>
  );
}

export function Skeleton({ rows, kind }: { rows: number; kind: "row" | "bubble" }) {
  return (
    <div class={`skeletons skeletons-${kind}`} role="status" aria-label={t("state.loading")}>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="skeleton" />
      ))}
    </div>
  );
}

// The error of a call in words: ours for known codes, else what the API said. Fields are shown beside their inputs.
export function errorText(error: ApiError): string {
  if (error.code === "rate_limited" && error.retryAfterSeconds) {
    return t("error.rate_limited_seconds", { seconds: error.retryAfterSeconds });
  }
  const known = named("error", error.code);
  return known === error.code.replaceAll("_", " ") ? t("error.other", { message: error.message }) : known;
}

export function ErrorNotice({ error, onRetry, fields = [] }: { error: ApiError; onRetry?: () => void; fields?: string[] }) {
  const elsewhere = error.details.filter((problem) => !fields.some((field) => isOf(problem, field)));
  return (
    <div class="notice notice-error" role="alert">
      <Icon name="alert" />
      <div>
        <p>{errorText(error)}</p>
        {elsewhere.map((problem) => (
          <p key={problem.field} class="detail">
            <b>{problem.field}</b> {problem.problem}
          </p>
        ))}
        {error.requestId && <p class="detail">{t("error.request", { id: error.requestId })}</p>}
      </div>
      {onRetry && error.retryable && (
        <Button kind="quiet" onClick={onRetry}>
          {t("action.retry")}
        </Button>
      )}
    </div>
  );
}

// Below a list: its next page, if there is one; loaded when a person comes near the end of the list.
export function MoreButton({ isOffered, next, loadsWhenSeen = false }: { isOffered: boolean; next: Action; loadsWhenSeen?: boolean }) {
  const end = useRef<HTMLDivElement>(null);
  // Looked at anew after each page: an observer reports changes only, and a person may be at the new end already.
  useEffect(() => {
    if (!loadsWhenSeen || !isOffered || next.busy) return;
    const observer = new IntersectionObserver((seen) => void (seen.some((one) => one.isIntersecting) && next.run()), { root: end.current!.parentElement, rootMargin: "800px" });
    observer.observe(end.current!);
    return () => observer.disconnect();
  });
  return (
    <>
      {next.error && <ErrorNotice error={next.error} onRetry={() => void next.run()} />}
      {isOffered && (
        <div ref={end} class="more">
          <Button kind="quiet" busy={next.busy} onClick={() => void next.run()}>
            {t("inbox.more")}
          </Button>
        </div>
      )}
    </>
  );
}

// One of several, none of which is chosen at first.
export function Choices<Value extends string>({ legend, name, values, textOf, chosen, onChoose }: {
  legend: string;
  name: string; // unique on the page
  values: readonly Value[];
  textOf: (value: Value) => string;
  chosen: Value | null;
  onChoose: (value: Value) => void;
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {values.map((one) => (
        <label key={one} class="choice-line">
          <input type="radio" name={name} checked={chosen === one} onChange={() => onChoose(one)} />
          <span>{textOf(one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Field({ label, error, name, children }: { label: string; error?: ApiError | null; name: string; children: ComponentChildren }) {
  const problem = error?.problemOf(name);
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      {children}
      {problem && (
        <span class="field-problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}

// A button that opens a panel below it; closes with Escape, and with a click elsewhere.
export function Menu({ label, button, children, align = "end", command }: {
  label: string;
  command?: string; // of the keyboard that opens it
  button: ComponentChildren;
  children: (close: () => void) => ComponentChildren;
  align?: "start" | "end";
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  // Before the next key: Escape must close it.
  useLayoutEffect(() => {
    if (!open) return;
    if (command) root.current?.querySelector<HTMLElement>(".panel button, .panel input")?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      root.current?.querySelector("button")?.focus();
    };
    addEventListener("pointerdown", outside);
    addEventListener("keydown", escape);
    return () => {
      removeEventListener("pointerdown", outside);
      removeEventListener("keydown", escape);
    };
  }, [open]);
  return (
    <div class="menu" ref={root} data-command={command}>
      <button type="button" class="button button-plain" aria-label={label} aria-expanded={open} aria-haspopup="true" onClick={() => setOpen(!open)}>
        {button}
      </button>
      {open && <div class={`panel panel-${align}`}>{children(() => setOpen(false))}</div>}
    </div>
  );
}
