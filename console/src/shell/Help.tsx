// The link to the documentation of a page. A window of its own: tokens are in memory, and end with the page.

import { useEffect, useState } from "preact/hooks";
import type { Part } from "../operations/access";
import { t } from "../texts/texts";
import { Icon } from "../ui/icons";
import { addressOf, helpOfLists, NO_PLACE } from "./documentation";

export function Help({ to, isEntry = false }: { to: string; isEntry?: boolean }) {
  return (
    <a class={isEntry ? "rail-link rail-help" : "link help"} href={addressOf(to)} target="_blank" rel="noopener" hreflang="en" title={t("nav.help_window")}>
      <Icon name="info" size={isEntry ? 20 : 16} />
      <span>{t("nav.help")}</span>
    </a>
  );
}

// *start*: the part of Operations that the person sees first. Without the table, all pages.
export function HelpOfPlace({ place, start, isEntry = false }: { place: readonly string[]; start?: Part | undefined; isEntry?: boolean }) {
  const [further, setFurther] = useState<typeof import("./furtherDocumentation") | null>(null);
  const near = helpOfLists(place);
  useEffect(() => {
    if (near === null && !further) import("./furtherDocumentation").then(setFurther, () => undefined);
  }, [near]);
  return <Help isEntry={isEntry} to={near ?? further?.helpOf(place, start) ?? NO_PLACE} />;
}
