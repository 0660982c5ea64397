// The documents that newsletters are made from: what was read from each, its date, and new ones.

import { useState } from "preact/hooks";
import { usePageList } from "../../api/pageList";
import { useResource } from "../../api/resource";
import type { NewslettersApi } from "../../api/routes";
import { useApp, useSession } from "../../app";
import { rightsOf } from "../../operations/access";
import { Confirm, count, Section, Table, Time, type Column } from "../../operations/sections";
import { named, t, tn } from "../../texts/texts";
import { Button, MoreButton } from "../../ui/controls";
import { useChange } from "../changes";
import { DocumentForm } from "./DocumentForm";
import { dateText } from "../steps/TopicsStep";

const MOST = 50;

// about and extra: of another page that shows the documents, what they are for there, and a column of its own.
export function Documents({ about, extra }: { about?: string; extra?: Column<NewslettersApi.SourceView> }) {
  const { client } = useApp();
  const { admin } = rightsOf(useSession());
  const [opened, setOpened] = useState<string | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const list = usePageList(
    async (cursor, signal) => {
      const { result, cursor: next } = await client.call("GET /newsletters/sources", { query: { limit: MOST, cursor }, signal });
      return { items: result.sources, cursor: next };
    },
    [client],
  );
  const remove = useChange(async () => client.call("DELETE /newsletters/sources/{name}", { path: { name: removed! } }));
  return (
    <>
      {admin ? <DocumentForm onStored={list.reload} /> : <p class="notice">{t("newsletter.documents.by_admins")}</p>}
      <Section title={t("newsletter.documents")} about={about ?? t("newsletter.documents.about")} resource={list.first}>
        {() => (
          <>
            <Table
              label={t("newsletter.documents")}
              rows={list.items}
              keyOf={({ name }) => name}
              empty={t(admin ? "newsletter.documents.none" : "newsletter.documents.none_yet")}
              columns={[
                { name: t("newsletter.field.title"), cell: ({ name, title }) => <bdi>{title || name}</bdi> },
                ...(extra ? [extra] : []),
                { name: t("newsletter.documents.date"), cell: ({ date }) => dateText(date) },
                { name: t("newsletter.exports.size"), isNumber: true, cell: ({ size }) => t("newsletter.kilobytes", { size: count(Math.ceil(size / 1024)) }) },
                { name: t("newsletter.changed"), cell: ({ changed_at }) => <Time at={changed_at} /> },
                {
                  name: t("newsletter.action"),
                  cell: ({ name, title }) => (
                    <>
                      <Button kind="quiet" pressed={opened === name} label={t("newsletter.documents.read_one", { title: title || name })} onClick={() => setOpened(opened === name ? null : name)}>
                        {t("newsletter.documents.read")}
                      </Button>
                      {admin && (
                        <Button kind="quiet" label={t("newsletter.documents.delete_one", { title: title || name })} onClick={() => setRemoved(name)}>
                          {t("newsletter.delete")}
                        </Button>
                      )}
                    </>
                  ),
                },
              ]}
            />
            <MoreButton isOffered={list.hasMore} next={list.next} />
          </>
        )}
      </Section>
      {opened && <Passages key={opened} name={opened} />}
      {removed && (
        <Confirm
          title={t("newsletter.documents.delete")}
          action={remove}
          button={t("newsletter.delete")}
          onClose={() => setRemoved(null)}
          onDone={() => {
            setRemoved(null);
            if (opened === removed) setOpened(null);
            void list.reload();
          }}
        >
          <p>{t("newsletter.documents.delete_about")}</p>
        </Confirm>
      )}
    </>
  );
}

function Passages({ name }: { name: string }) {
  const { client } = useApp();
  const found = useResource(async (signal) => (await client.call("GET /newsletters/sources/{name}", { path: { name }, signal })).result, [client, name]);
  return (
    <Section title={t("newsletter.documents.read_title", { title: found.value?.title || name })} about={t("newsletter.documents.read_about")} resource={found}>
      {({ problem, passages, passage_count, url, date, topics }) => (
        <>
          <p class="quiet">
            {dateText(date)} {topics.length > 0 && <>· {topics.join(", ")}</>} {url && <a class="link" href={url} target="_blank" rel="noopener noreferrer">{url}</a>}
          </p>
          {problem ? <p class="notice notice-error">{named("newsletter.unreadable", problem)}</p> : <p>{tn("newsletter.passages", passage_count)}</p>}
          <ol class="newsletter-passages">
            {passages.map((text, at) => (
              <li key={at} class="newsletter-passage" dir="auto">
                {text}
              </li>
            ))}
          </ol>
          {passages.length < passage_count && <p class="quiet">{t("newsletter.documents.first", { count: passages.length })}</p>}
        </>
      )}
    </Section>
  );
}
