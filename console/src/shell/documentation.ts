// Which page of the documentation helps at a place, and its section: `page#anchor`. The pages come with the console, below
// docs/. Here are the places of the first load; the others are in furtherDocumentation.ts.

export const SIGN_IN_HELP = "console#signing-in";
export const BEGIN_HELP = "connect/logins#the-first-administrator";
export const NO_PLACE = "index"; // all pages

const LISTS = ["all", "mine", "whatsapp", "conversations", "email_threads", "review"];
const CONVERSATIONS: Record<string, string> = {
  whatsapp: "console#whatsapp-conversations",
  conversations: "console#conversations-of-the-assistant",
  email_threads: "console#e-mail-threads",
};

// The help of a list, or of the conversation that is open in it; null at other places.
export function helpOfLists([section = "all", context = "", key]: readonly string[]): string | null {
  if (!LISTS.includes(section)) return null;
  return (key && CONVERSATIONS[context]) || (section === "review" ? "console#review" : "console#inbox");
}

export function addressOf(help: string): string {
  return `console/docs/${help.replace(/(#|$)/, ".html$1")}`; // beside the page, whose address has no slash at its end
}
