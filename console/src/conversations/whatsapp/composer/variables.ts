// Variables of canned replies: {{name}}.

const VARIABLE = /{{([a-z][a-z0-9_]{0,31})}}/g;

export function filled(text: string, values: Record<string, string>): string {
  return text.replace(VARIABLE, (whole, name: string) => values[name] || whole);
}

// The values that are known of a customer.
export function known(variables: string[], customer: { name: string | null; me: string | null }): Record<string, string> {
  const first = customer.name?.split(" ")[0] ?? "";
  const values: Record<string, string> = { name: customer.name ?? "", first_name: first, agent: customer.me ?? "" };
  return Object.fromEntries(variables.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}
