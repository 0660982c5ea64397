// Series of newsletters: when they run next, what became of the last run, and buttons that change, stop and begin one.

import { useRef, useState } from "preact/hooks";
import { useResource } from "../api/resource";
import { useApp, useSession } from "../app";
import { LiveChange } from "../operations/switches/LiveChange";
import { Section, Table, Time } from "../operations/sections";
import { placeOf } from "../shell/router";
import { t } from "../texts/texts";
import { Button } from "../ui/controls";
import { Later } from "../ui/Later";
import { PLACE, type Series } from "./source";

const NEW = "new";

export function SeriesList() {
  const { client } = useApp();
  const [opened, open] = useState<string | null>(null);
  const found = useResource(async (signal) => (await client.call("GET /newsletters/series", { signal })).result.series, [client]);
  const tools = opened !== NEW && <Button onClick={() => open(NEW)}>{t("newsletter.series.new")}</Button>;
  return (
    <Section title={t("newsletter.series")} about={t("newsletter.series.about")} resource={found} tools={tools}>
      {(rows) => (
        <>
          {opened && <Form key={opened} of={rows.find(({ series_id }) => series_id === opened)} onStored={found.reload} onClose={() => open(null)} />}
          <Table
            label={t("newsletter.series")}
            rows={rows}
            keyOf={({ series_id }) => series_id}
            empty={t("newsletter.series.none")}
            columns={[
              { name: t("newsletter.field.title"), cell: ({ title }) => <bdi>{title}</bdi> },
              { name: t("newsletter.series.next"), cell: ({ next_run }) => (next_run ? <Time at={next_run} /> : t("newsletter.series.stopped")) },
              { name: t("newsletter.series.last"), cell: (one) => <LastRun of={one} /> },
              { name: t("newsletter.series.change"), cell: (one) => <Changes of={one} onChange={found.reload} onEdit={() => open(one.series_id)} /> },
            ]}
          />
        </>
      )}
    </Section>
  );
}

function Form({ of, onStored, onClose }: { of: Series | undefined; onStored: () => Promise<void>; onClose: () => void }) {
  const close = async () => {
    await onStored();
    onClose();
  };
  return <Later load={() => import("./publishing/SeriesForm")} show={({ SeriesForm }) => <SeriesForm of={of} onStored={close} onClose={onClose} />} />;
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

function Changes({ of, onChange, onEdit }: { of: Series; onChange: () => Promise<void>; onEdit: () => void }) {
  const { client } = useApp();
  const isOwn = useSession().person?.principal === of.created_by;
  const [isAsked, setAsked] = useState(false);
  const made = useRef(of.version);
  const set = async (enabled: boolean, version: number) => {
    const answer = await client.call("PATCH /newsletters/series/{series_id}", { path: { series_id: of.series_id }, body: { version, enabled } });
    made.current = answer.result.version;
  };
  if (!isOwn) return null;
  const act = of.enabled ? "stop" : "begin";
  return (
    <>
      <Button label={t("newsletter.series.edit_one", { title: of.title })} onClick={onEdit}>
        {t("newsletter.series.edit")}
      </Button>{" "}
      <Button label={t(`newsletter.series.${act}_one`, { title: of.title })} onClick={() => setAsked(true)}>
        {t(`newsletter.series.${act}`)}
      </Button>
      {isAsked && (
        <LiveChange
          title={t(`newsletter.series.${act}_one`, { title: of.title })}
          button={t(`newsletter.series.${act}`)}
          from={t(of.enabled ? "newsletter.series.runs" : "newsletter.series.stopped")}
          to={t(of.enabled ? "newsletter.series.stopped" : "newsletter.series.runs")}
          effect={t(`newsletter.series.effect.${act}`)}
          set={() => set(!of.enabled, of.version)}
          back={() => set(of.enabled, made.current)}
          done={t(`newsletter.series.done.${act}`)}
          onClose={() => setAsked(false)}
          onChanged={onChange}
        />
      )}
    </>
  );
}
