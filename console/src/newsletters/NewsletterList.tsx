// One's own newsletters or all newsletters of colleagues, and a new one.

import { useState } from "preact/hooks";
import { usePageList } from "../api/pageList";
import { useApp, useSession } from "../app";
import { Section, Table, Time } from "../operations/sections";
import { go, placeOf } from "../shell/router";
import { actor } from "../texts/format";
import { named, t } from "../texts/texts";
import { Badge, Button, MoreButton } from "../ui/controls";
import { PlanForm } from "./steps/PlanForm";
import { SeriesList } from "./SeriesList";
import { PLACE, type Summary } from "./source";

const OWNERS = ["me", "company"] as const;
const MOST = 25;

export function NewsletterList() {
  const { client } = useApp();
  const [isNew, setNew] = useState(false);
  const [of, setOf] = useState<(typeof OWNERS)[number]>("me");
  const list = usePageList<Summary>(
    async (cursor, signal) => {
      const { result, cursor: next } = await client.call("GET /newsletters", { query: { of, limit: MOST, cursor }, signal });
      return { items: result.newsletters, cursor: next };
    },
    [client, of],
  );
  const tools = !isNew && (
    <Button kind="primary" onClick={() => setNew(true)}>
      {t("newsletter.new")}
    </Button>
  );
  return (
    <>
      {isNew && (
        <section class="ops-section" aria-label={t("newsletter.new")}>
          <h2>{t("newsletter.new")}</h2>
          <PlanForm onClose={() => setNew(false)} onStored={(code) => go(placeOf(PLACE, code, "topics"))} />
        </section>
      )}
      <Section title={t("newsletter.title")} about={t("newsletter.about")} resource={list.first} tools={tools}>
        {() => (
          <>
            <label class="ops-filter">
              <span class="field-label">{t("newsletter.show")}</span>
              <select value={of} onChange={(event) => setOf(event.currentTarget.value as typeof of)}>
                {OWNERS.map((one) => (
                  <option key={one} value={one}>
                    {t(`newsletter.of.${one}`)}
                  </option>
                ))}
              </select>
            </label>
            <Table
              label={t("newsletter.title")}
              rows={list.items}
              keyOf={({ code }) => code}
              empty={t("newsletter.none")}
              columns={[
                { name: t("newsletter.field.title"), cell: ({ code, title }) => <a class="link" href={placeOf(PLACE, code)}>{title}</a> },
                { name: t("newsletter.state"), cell: (row) => <State row={row} /> },
                { name: t("newsletter.owner"), cell: ({ user_id, user_name }) => <Owner id={user_id} name={user_name} /> },
                { name: t("newsletter.changed"), cell: ({ updated_at }) => <Time at={updated_at} /> },
              ]}
            />
            <MoreButton isOffered={list.hasMore} next={list.next} />
          </>
        )}
      </Section>
      <SeriesList />
    </>
  );
}

function State({ row: { status, review } }: { row: Summary }) {
  return (
    <>
      {named("newsletter.status", status)} {review && <Badge kind={review === "returned" ? "warn" : "info"}>{named("newsletter.review", review)}</Badge>}
    </>
  );
}

function Owner({ id, name }: { id: string; name: string }) {
  const me = useSession().person?.principal ?? null;
  return <>{name || actor(id, me)}</>;
}
