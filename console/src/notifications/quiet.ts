// When a person is not to be disturbed. Pure, but for the settings that were read last.

export interface Quiet {
  quietUntil?: string | null;
  quietFrom?: string | null; // HH:MM in the zone, to quietTo, also over midnight
  quietTo?: string | null;
  zone?: string | null;
}

export function isQuiet({ quietUntil, quietFrom, quietTo, zone }: Quiet, now: Date): boolean {
  if (quietUntil && new Date(quietUntil) > now) return true;
  if (!quietFrom || !quietTo || !zone) return false;
  const at = timeIn(zone, now);
  return quietFrom <= quietTo ? quietFrom <= at && at < quietTo : at >= quietFrom || at < quietTo;
}

function timeIn(zone: string, now: Date): string {
  return now.toLocaleTimeString("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
}

let settings: Quiet = {};

export function keepQuiet(read: Quiet): void {
  settings = read;
}

export function isQuietNow(): boolean {
  return isQuiet(settings, new Date());
}
