// The versions of a model's settings, of any context: their list, how they differ, and going back to one.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ConversationsAdmin } from "../../api/routes";
import { usePageList, type Page, type PageList } from "../../api/pageList";
import { useResource } from "../../api/resource";
import { useSession } from "../../app";
import { actor } from "../../texts/format";
import { t } from "../../texts/texts";
import { Badge, Button, ErrorNotice, MoreButton } from "../../ui/controls";
import { LiveChange } from "../switches/LiveChange";
import { Section, Table, Time } from "../sections";

export type Summary = ConversationsAdmin.VersionSummaryView; // all APIs have the same
export type Version = ConversationsAdmin.VersionView;

// The calls of a context. of: whose settings they are; another one is loaded anew.
export interface VersionSource {
  of: string;
  list: (cursor: string | null, signal: AbortSignal) => Promise<Page<Summary>>;
  show: (number: number, against: number | null, signal: AbortSignal) => Promise<Version>;
  goLive: (number: number, insteadOf: number | null) => Promise<unknown>;
  affected?: (signal: AbortSignal) => Promise<string>; // by another live version
}

export function useVersions(source: VersionSource): PageList<Summary> {
  return usePageList(source.list, [source.of]);
}

export function liveOf(versions: PageList<Summary>): number | null {
  return versions.items.find((one) => one.is_live)?.number ?? null;
}

interface Props {
  source: VersionSource;
  versions: PageList<Summary>;
  about: string;
  effect: string; // of going live
  onChange: () => void; // another version is live
  onOpen?: (number: number) => void; // else its differences are shown here
}

export function Versions({ source, versions, about, effect, onChange, onOpen }: Props) {
  const me = useSession().person?.principal ?? null;
  const [raised, setRaised] = useState<Summary | null>(null);
  const [shown, setShown] = useState<number | null>(null);
  const live = liveOf(versions);
  const changed = () => {
    void versions.reload();
    onChange();
  };
  return (
    <>
      <Section title={t("project.versions")} about={about} resource={versions.first}>
        {() => (
          <>
            <Table
              label={t("project.versions")}
              rows={versions.items}
              keyOf={({ number }) => String(number)}
              empty={t("project.no_versions")}
              columns={[
                { name: t("project.version"), cell: (one) => <><b>{one.number}</b> {one.is_live && <Badge kind="good">{t("project.live")}</Badge>}</> },
                { name: t("project.made"), cell: (one) => <><Time at={one.at} /><p class="quiet">{actor(one.by, me)}</p></> },
                { name: t("project.note"), cell: ({ note }) => note },
                {
                  name: t("ops.action"),
                  cell: (one) => (
                    <>
                      <Button onClick={() => (onOpen ?? setShown)(one.number)} label={`${t("project.open")} ${one.number}`}>{t("project.open")}</Button>
                      {!one.is_live && <Button onClick={() => setRaised(one)} label={`${t("project.put_live")} ${one.number}`}>{t("project.put_live")}</Button>}
                    </>
                  ),
                },
              ]}
            />
            <MoreButton isOffered={versions.hasMore} next={versions.next} />
          </>
        )}
      </Section>
      {raised && <GoLive source={source} version={raised} live={live} effect={effect} onClose={() => setRaised(null)} onDone={changed} />}
      {shown !== null && <Shown key={shown} source={source} number={shown} />}
    </>
  );
}

// Says before the change what will be different.
function GoLive({ source, version, live, effect, onClose, onDone }: { source: VersionSource; version: Summary; live: number | null; effect: string; onClose: () => void; onDone: () => void }) {
  const compared = useResource((signal) => source.show(version.number, live, signal), [source.of, version.number]);
  return (
    <LiveChange
      title={t("project.put_live_title", { number: version.number })}
      button={t("project.put_live")}
      from={live === null ? t("ops.unknown") : `${t("project.version")} ${live}`}
      to={`${t("project.version")} ${version.number}`}
      effect={effect}
      {...(source.affected && { affected: source.affected })}
      set={() => source.goLive(version.number, live)}
      back={live === null ? null : () => source.goLive(live, version.number)}
      done={t("project.is_live", { number: version.number })}
      onClose={onClose}
      onChanged={onDone}
    >
      {compared.error && <ErrorNotice error={compared.error} />}
      {compared.value && <Differences version={compared.value} />}
    </LiveChange>
  );
}

// How a version differs from the one that it was based on, and its settings.
function Shown({ source, number }: { source: VersionSource; number: number }) {
  const version = useResource((signal) => source.show(number, null, signal), [source.of, number]);
  return (
    <Section title={t("project.settings", { number })} resource={version}>
      {(found) => (
        <>
          {found.compared_with !== null && <Differences version={found} />}
          <details>
            <summary>{t("project.all")}</summary>
            <pre class="ops-facts" dir="ltr">{JSON.stringify(found.settings, null, 1)}</pre>
          </details>
        </>
      )}
    </Section>
  );
}

export function Differences({ version }: { version: Version }) {
  return (
    <Table
      label={t("project.differences")}
      rows={version.differences}
      keyOf={({ path }) => path}
      empty={t("project.no_differences")}
      columns={[
        { name: t("project.setting"), cell: ({ path }) => path },
        { name: t("project.before"), cell: ({ before }) => valueOf(before) },
        { name: t("project.after"), cell: ({ after }) => valueOf(after) },
      ]}
    />
  );
}

function valueOf(value: unknown): ComponentChildren {
  if (value === null || value === undefined) return t("ops.unknown");
  return typeof value === "string" ? value : JSON.stringify(value);
}

// The versions alone, of settings that are changed elsewhere.
export function VersionList({ source, about, effect, onChange }: Omit<Props, "versions" | "onOpen">) {
  const versions = useVersions(source);
  return <Versions source={source} versions={versions} about={about} effect={effect} onChange={onChange} />;
}
