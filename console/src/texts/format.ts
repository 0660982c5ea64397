import { locale, t } from "./texts";

const DAY_MS = 86_400_000;

export function clock(at: string): string {
  return new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" });
}

// For lists: the time today, the weekday within a week, else the date.
export function when(at: string, now = Date.now()): string {
  const date = new Date(at);
  const days = Math.floor((startOfDay(now) - startOfDay(date.getTime())) / DAY_MS);
  if (days <= 0) return clock(at);
  if (days === 1) return t("time.yesterday");
  if (days < 7) return date.toLocaleDateString(locale, { weekday: "short" });
  const year = date.getFullYear() === new Date(now).getFullYear() ? {} : { year: "2-digit" as const };
  return date.toLocaleDateString(locale, { day: "numeric", month: "short", ...year });
}

// A time ahead: without the day if it is today.
export function ahead(at: string, now = Date.now()): string {
  const date = new Date(at);
  const isToday = startOfDay(date.getTime()) === startOfDay(now);
  return isToday ? clock(at) : date.toLocaleString(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

export function day(at: string, now = Date.now()): string {
  const date = new Date(at);
  const days = Math.floor((startOfDay(now) - startOfDay(date.getTime())) / DAY_MS);
  if (days === 0) return t("time.today");
  if (days === 1) return t("time.yesterday");
  return date.toLocaleDateString(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

export function moment(at: string): string {
  return new Date(at).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}

export function duration(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const hours = Math.floor(minutes / 60);
  return hours ? t("time.hours", { hours, minutes: minutes % 60 }) : t("time.minutes", { minutes });
}

// A length of time in two units: minutes up to an hour, days from two days on.
export function span(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  return days < 2 ? duration(ms) : t("time.days", { days, hours: Math.floor((ms % DAY_MS) / 3_600_000) });
}

export function minutesAndSeconds(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toLocaleString(locale, { maximumFractionDigits: 1 })} MB`;
}

export function initials(name: string): string {
  const words = name.replace(/[^\p{L}\p{N}\s]/gu, "").split(/\s+/).filter(Boolean);
  const letters = words.length > 1 ? words[0]![0]! + words.at(-1)![0]! : (words[0] ?? "?").slice(0, 2);
  return letters.toUpperCase();
}

let names: ReadonlyMap<string, string> = new Map();

// Sets by which names `actor` shows colleagues.
export function nameColleagues(people: { principal: string; name?: string | null }[]): void {
  names = new Map(people.flatMap(({ principal, name }) => (name ? [[principal, name] as const] : [])));
}

// The actor or assignee of a conversation: a person of the company, a team, an API key, the system.
export function actor(principal: string, me: string | null): string {
  if (principal === me) return t("actor.you");
  if (/^(api-key|client):/.test(principal)) return t("actor.software");
  if (principal.startsWith("team:")) return t("actor.team", { name: principal.slice(5) });
  if (principal.startsWith("user:")) return names.get(principal) ?? t("actor.colleague", { id: principal.slice(5, 9) });
  return principal;
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

// An amount as a text; without a known currency, the number and what the API says.
export function money(amount: number, currency: string): string {
  if (!Number.isFinite(amount)) return "–";
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount.toLocaleString(locale)} ${currency}`.trim();
  return amount.toLocaleString(locale, { style: "currency", currency });
}

export function clockWithSeconds(at: string): string {
  return new Date(at).toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}
