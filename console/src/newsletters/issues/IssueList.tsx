// The issues of the company, newest first.

import { usePageList } from "../../api/pageList";
import { useApp } from "../../app";
import { Section, Table, Time } from "../../operations/sections";
import { placeOf } from "../../shell/router";
import { named, t } from "../../texts/texts";
import { MoreButton } from "../../ui/controls";
import { PLACE, type Issue } from "../source";

// *of*: only issues of this newsletter, on pages of all.
export function IssueList({ of }: { of?: string }) {
  const { client } = useApp();
  const list = usePageList<Issue>(
    async (cursor, signal) => {
      const { result, cursor: next } = await client.call("GET /newsletters/issues", { query: { limit: 100, cursor }, signal });
      return { items: result.issues.filter((one) => !of || one.newsletter_code === of), cursor: next };
    },
    [client, of],
  );
  return (
    <Section title={t("newsletter.issues")} about={t("newsletter.issues.about")} resource={list.first}>
      {() => (
        <>
          <Table
            label={t("newsletter.issues")}
            rows={list.items}
            keyOf={({ issue_id }) => issue_id}
            empty={t(of ? "newsletter.issues.none_of" : "newsletter.issues.none")}
            columns={[
              { name: t("newsletter.issue.subject"), cell: ({ issue_id, subject }) => <a class="link" href={placeOf(PLACE, issue_id)}>{subject}</a> },
              { name: t("newsletter.state"), cell: ({ state }) => named("newsletter.issue.state", state) },
              { name: t("newsletter.issue.created"), cell: ({ created_at }) => <Time at={created_at} /> },
              { name: t("newsletter.issue.starts"), cell: (one) => <Time at={one.started_at ?? one.scheduled_for} /> },
            ]}
          />
          <MoreButton isOffered={list.hasMore} next={list.next} />
        </>
      )}
    </Section>
  );
}
