// Roles and teams of a person, from the groups in a token. For display only: the API reads them itself.

const ROLES = ["agent", "supervisor", "admin", "operator"];

export interface Membership {
  company: string;
  roles: string[];
  teams: string[];
}

// Groups are `{company}:{role}` and `{company}:team:{name}`. A team alone gives no access to its company.
export function companiesOf(groups: unknown): Membership[] {
  const roles = new Map<string, string[]>();
  const teams = new Map<string, string[]>();
  for (const group of Array.isArray(groups) ? groups : [groups]) {
    const [, company, isTeam, name] = /^([^:]+):(team:)?([a-z0-9-]+)$/.exec(String(group ?? "")) ?? [];
    if (!company || !name || (!isTeam && !ROLES.includes(name))) continue;
    const into = isTeam ? teams : roles;
    into.set(company, [...(into.get(company) ?? []), name]);
  }
  return [...roles].map(([company, held]) => ({ company, roles: held, teams: teams.get(company) ?? [] }));
}
