// Series of newsletters: when they run next, what became of the last run, and a button that stops or begins one.

import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { Section, Table, Time } from "../operations/sections";
import { placeOf } from "../shell/router";
import { t } from "../texts/texts";
import { Button, ErrorNotice } from "../ui/controls";
import { useChange } from "./changes";
import { PLACE, type Series } from "./source";

export function SeriesList() {
  const { client } = useApp();
  const found = useResource(async (signal) => (await client.call("GET /newsletters/series", { signal })).result.series, [client]);
  if (found.value?.length === 0) return null;
  return (
    <Section title={t("newsletter.series")} about={t("newsletter.series.about")} resource={found}>
      {(rows) => (
        <Table
          label={t("newsletter.series")}
          rows={rows}
          keyOf={({ series_id }) => series_id}
          empty={t("newsletter.none")}
          columns={[
            { name: t("newsletter.field.title"), cell: ({ title }) => <bdi>{title}</bdi> },
            { name: t("newsletter.series.next"), cell: ({ next_run }) => (next_run ? <Time at={next_run} /> : t("newsletter.series.stopped")) },
            { name: t("newsletter.series.last"), cell: (one) => <LastRun of={one} /> },
            { name: t("newsletter.series.change"), cell: (one) => <Switch of={one} onChange={found.reload} /> },
          ]}
        />
      )}
    </Section>
  );
}

function LastRun({ of: { runs } }: { of: Series }) {
  const run = runs[0];
  if (!run) return <>{t("newsletter.series.no_run")}</>;
  const text = `${t(`newsletter.series.run.${run.state}`)} (${run.planned})${run.reason ? `: ${run.reason}` : ""}`;
  const place = run.issue_id ?? run.newsletter_code;
  return place ? (
    <a class="link" href={placeOf(PLACE, place)}>
      {text}
    </a>
  ) : (
    <>{text}</>
  );
}

function Switch({ of, onChange }: { of: Series; onChange: () => Promise<void> }) {
  const { client } = useApp();
  const isOwn = useSession().person?.principal === of.created_by;
  const change = useChange(async () => {
    const body = { version: of.version, enabled: !of.enabled };
    await client.call("PATCH /newsletters/series/{series_id}", { path: { series_id: of.series_id }, body });
    await onChange();
  });
  if (!isOwn) return null;
  const act = of.enabled ? "stop" : "begin";
  return (
    <>
      <Button busy={change.busy} label={t(`newsletter.series.${act}_one`, { title: of.title })} onClick={() => void change.run()}>
        {t(`newsletter.series.${act}`)}
      </Button>
      {change.error && <ErrorNotice error={change.error} />}
    </>
  );
}
