// The segments of the company: conditions in words, how many people fit, and who they are.

import { useState } from "preact/hooks";
import type { ConsoleApi } from "../../api/routes";
import { useAction, useResource } from "../../api/resource";
import { useApp } from "../../app";
import { placeOf } from "../../shell/router";
import { t } from "../../texts/texts";
import { Button, ErrorNotice, MoreButton, Skeleton } from "../../ui/controls";
import { usePageList } from "../../api/pageList";
import type { Definition } from "../source";
import { wordsOf } from "./conditions";
import { ContactLists } from "./ContactLists";
import { CountText, useCount, type List } from "./count";
import { SegmentForm } from "./SegmentForm";
import "../../ui/styles/pages.css";

type Segment = ConsoleApi.SegmentView;

export function SegmentsPage() {
  const { client } = useApp();
  const known = useResource(
    async (signal) => {
      const [found, attributes, lists] = await Promise.all([
        client.call("GET /contacts/segments", { signal }),
        client.call("GET /attributes", { signal }),
        client.call("GET /contacts/lists", { signal }),
      ]);
      return { segments: found.result.segments, definitions: attributes.result.attributes, lists: lists.result.lists };
    },
    [client],
  );
  const { value, error } = known;
  return (
    <main class="pane segments" aria-label={t("segment.title")}>
      <h1>{t("segment.title")}</h1>
      <p class="quiet">{t("segment.about")}</p>
      {error && <ErrorNotice error={error} onRetry={() => void known.reload()} />}
      {!value && !error && <Skeleton rows={4} kind="row" />}
      {value && value.segments.length === 0 && <p class="quiet">{t("segment.none")}</p>}
      {value?.segments.map((one) => (
        <Shown key={one.segmentId} segment={one} definitions={value.definitions} lists={value.lists} onChange={known.reload} />
      ))}
      {value && <SegmentForm definitions={value.definitions} lists={value.lists} onStored={known.reload} />}
      {value && <ContactLists lists={value.lists} onChange={known.reload} />}
    </main>
  );
}

interface ShownProps {
  segment: Segment;
  definitions: Definition[];
  lists: List[];
  onChange: () => Promise<void>;
}

function Shown({ segment, definitions, lists, onChange }: ShownProps) {
  const { client } = useApp();
  const [isOpen, setOpen] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const path = { segment_id: segment.segmentId };
  const count = useCount(async (cursor) => client.call("GET /contacts/segments/{segment_id}/count", { path, query: { cursor } }));
  const remove = useAction(async () => {
    await client.call("DELETE /contacts/segments/{segment_id}", { path });
    await onChange();
  });
  const nameOf = (id: string) => lists.find(({ listId }) => listId === id)?.name ?? id;
  return (
    <section class="segment" aria-label={segment.name}>
      <h2>{segment.name}</h2>
      <p>{wordsOf(segment.conditions, definitions, nameOf)}</p>
      <CountText count={count} />
      {(count.error ?? remove.error) && <ErrorNotice error={(count.error ?? remove.error)!} />}
      <div class="segment-end">
        <Button busy={count.busy} onClick={() => void count.run()}>
          {t("segment.count")}
        </Button>
        <Button icon="person" pressed={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("segment.people")}
        </Button>
        <Button busy={remove.busy} onClick={() => (isAsked ? void remove.run() : setAsked(true))}>
          {t(isAsked ? "segment.remove_for_good" : "segment.remove")}
        </Button>
      </div>
      {isOpen && <Members segment={segment} />}
    </section>
  );
}

function Members({ segment }: { segment: Segment }) {
  const { client } = useApp();
  const people = usePageList(
    async (cursor, signal) => {
      const answer = await client.call("GET /contacts/segments/{segment_id}/members", {
        path: { segment_id: segment.segmentId },
        query: { limit: 50, cursor },
        signal,
      });
      return { items: answer.result.contacts, cursor: answer.cursor };
    },
    [client, segment.segmentId],
  );
  if (people.first.error) return <ErrorNotice error={people.first.error} onRetry={() => void people.reload()} />;
  if (!people.first.value) return <Skeleton rows={3} kind="row" />;
  return (
    <>
      {people.items.length === 0 && !people.hasMore && <p class="quiet">{t("segment.no_people")}</p>}
      <ul class="contact-list">
        {people.items.map((one) => (
          <li key={one.contactId}>
            <a href={placeOf("contacts", one.contactId)}>{one.name ?? one.handles[0]?.text ?? t("inbox.unknown")}</a>
          </li>
        ))}
      </ul>
      <MoreButton isOffered={people.hasMore} next={people.next} />
    </>
  );
}
