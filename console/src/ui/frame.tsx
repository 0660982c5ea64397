// The frame of a conversation: head, timeline, foot, and facts beside it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { HelpOfPlace } from "../shell/Help";
import { placeOf, useQuery, useRoute, withQuery } from "../shell/router";
import { t } from "../texts/texts";
import { Icon, type IconName } from "./icons";
import { Avatar, IconButton } from "./controls";

interface FrameProps {
  title: string;
  line: ComponentChildren;
  colleagues?: ComponentChildren;
  icon: IconName;
  back: string;
  actions?: ComponentChildren;
  facts?: ComponentChildren;
  foot?: ComponentChildren;
  children: ComponentChildren;
}

export function Frame({ title, line, colleagues, icon, back, actions, facts, foot, children }: FrameProps) {
  const [shown, setShown] = useState(false);
  const query = useQuery();
  const place = useRoute();
  return (
    <>
      <main class="pane" aria-label={title}>
        <header class="pane-head">
          <a class="icon-button pane-back" href={withQuery(placeOf(back), query)} aria-label={t("action.back")}>
            <Icon name="back" />
          </a>
          <Avatar name={title} />
          <div class="pane-title">
            <h2 dir="auto">{title}</h2>
            <p>
              <Icon name={icon} size={14} />
              <span dir="auto">{line}</span>
              {colleagues}
            </p>
          </div>
          <div class="pane-actions">{actions}</div>
          {facts && (
            <span class="facts-toggle">
              <IconButton icon="info" label={t("facts.label")} pressed={shown} onClick={() => setShown(!shown)} />
            </span>
          )}
        </header>
        {children}
        {foot}
      </main>
      {facts && (
        <aside class={`facts ${shown ? "facts-shown" : ""}`} aria-label={t("facts.label")}>
          <div class="facts-close">
            <HelpOfPlace place={place} />
            <IconButton icon="close" label={t("action.close")} onClick={() => setShown(false)} />
          </div>
          {facts}
        </aside>
      )}
    </>
  );
}

export function Fact({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{label}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}
