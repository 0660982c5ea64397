"""Pure functions of reading a conversation: its pages, the part in the document, matches, files; run by Node.js."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run

PAGES, SPAN = "api/pages.ts", "ui/timeline/span.ts"
FILE, UNREAD = (
    "conversations/whatsapp/message/content/file.ts",
    "conversations/whatsapp/message/unread.ts",
)


def page(*ids: int, cursor: str | None = "older") -> dict[str, Any]:
    return {"items": list(ids), "cursor": cursor}


@pytest.mark.parametrize(
    ("known", "newest", "expected"),
    [
        (None, page(5, 4), page(5, 4)),
        # What newer messages push out of the newest page stays in its place.
        (page(5, 4, 3, 2, cursor="c2"), page(6, 5, 4), page(6, 5, 4, 3, 2, cursor="c2")),
        # A message that is gone from the range of the page is gone.
        (page(5, 4, 3, 2, cursor="c2"), page(5, 3), page(5, 3, 2, cursor="c2")),
        # A late message between known ones.
        (page(9, 5, 3, 2, cursor="c2"), page(9, 7, 5), page(9, 7, 5, 3, 2, cursor="c2")),
        # So many new ones that some may be missing between: only the page is known.
        (page(5, 4, 3, cursor="c2"), page(9, 8, 7), page(9, 8, 7)),
        # The whole conversation is on one page.
        (page(5, 4, cursor="c2"), page(5, cursor=None), page(5, cursor=None)),
        (page(5, 4), page(cursor=None), page(cursor=None)),
    ],
)
def test_a_refresh_keeps_what_was_read_without_a_gap(
    known: dict[str, Any] | None, newest: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = run(PAGES, "m.refreshed(value[0], value[1], (id) => id)", [known, newest])

    assert found == expected


def test_an_older_page_adds_no_entry_twice_and_a_renewed_one_keeps_the_places() -> None:
    script = (
        "[m.extended(value[0], value[1], (id) => id),"
        " m.renewed({items: [{id: 1, link: 'a'}, {id: 2, link: 'b'}], cursor: null},"
        " [{id: 2, link: 'new'}], (item) => item.id).items]"
    )

    found = run(PAGES, script, [page(5, 4), page(4, 3, cursor=None)])

    assert found == [page(5, 4, 3, cursor=None), [{"id": 1, "link": "a"}, {"id": 2, "link": "new"}]]


def entries(count: int) -> list[dict[str, Any]]:
    return [{"key": f"m{n}", "at": f"{n:05}"} for n in range(count)]


def test_of_two_thousand_messages_at_most_three_hundred_are_in_the_document() -> None:
    listed = entries(2_000)
    script = (
        "[null, ...value].map((anchor) => [m.spanOf(value, anchor), value.indexOf(anchor)])"
        ".map(([{start, end}, at]) => [end - start, at === -1 ? end === value.length : start <= at && at < end])"
    )

    spans = run(SPAN, script, listed)

    assert {size for size, _ in spans} == {240}
    assert all(holds for _, holds in spans)


def test_a_short_conversation_is_in_the_document_as_a_whole() -> None:
    assert run(SPAN, "m.spanOf(value, value[3])", entries(50)) == {"start": 0, "end": 50}


def test_scrolling_to_an_edge_brings_the_next_entries_before_it_is_seen() -> None:
    """One screen at a time, from the newest of 2,000 messages to the oldest, and back."""
    script = """
    ((entries, screen) => {
      let anchor = null, gaps = 0;
      const walk = (tops) => {
        for (const top of tops) {
          const span = m.spanOf(entries, anchor), last = top + screen - 1;
          if (top < span.start || last >= span.end) gaps += 1;
          if (m.isNearEdge(span, entries.length, top, last)) anchor = entries[top];
        }
        return m.spanOf(entries, anchor);
      };
      const tops = Array.from({length: (entries.length - screen) / screen + 1}, (_, n) => n * screen);
      const up = walk(tops.toReversed()), asked = m.needsOlder(up, 0), down = walk(tops);
      return {gaps, asked, reached: [up.start, down.end], asksAtTheEnd: m.needsOlder(down, tops.at(-1))};
    })(value, 20)
    """

    walked = run(SPAN, script, entries(2_000))

    assert walked == {"gaps": 0, "asked": True, "reached": [0, 2_000], "asksAtTheEnd": False}


def test_the_reading_place_is_found_by_its_time_if_its_message_was_removed() -> None:
    listed = [one for one in entries(1_000) if one["key"] != "m500"]

    span = run(SPAN, "m.spanOf(value, {key: 'm500', at: '00500'})", listed)

    assert span == {"start": 380, "end": 620}


def test_messages_after_the_last_seen_one_are_new_even_if_that_one_was_removed() -> None:
    script = (
        "[{key: 'm7', at: '00007'}, {key: 'removed', at: '00007'}, null]"
        ".map((seen) => m.newSince(value, seen).map((one) => one.key))"
    )

    assert run(SPAN, script, entries(10)) == [["m8", "m9"], ["m8", "m9"], []]


def test_matches_are_walked_in_both_directions_and_end() -> None:
    script = (
        "[[null, -1], [null, 1], [9, -1], [2, -1], [2, 1], [9, 1]]"
        ".map(([from, step]) => m.nextMatch(value, from, step))"
    )

    assert run(SPAN, script, [2, 5, 9]) == [9, 2, 5, None, 5, None]
    assert run(SPAN, "m.nextMatch(value, null, -1)", []) is None


def test_a_day_begins_at_its_first_entry_or_the_next_one() -> None:
    script = "['00000', '00003', '000035', '99999'].map((at) => m.firstSince(value, at))"

    assert run(SPAN, script, entries(6)) == [0, 3, 4, None]


def test_a_message_has_all_words_of_a_search_in_any_form() -> None:
    script = "value.map((words) => m.hasWords('Die Lieferung nach KÖLN ist da', words))"

    assert run("texts/fold.ts", script, ["koln lieferung", "Köln  da", "köln weg"]) == [
        True,
        True,
        False,
    ]


def test_reading_goes_on_at_the_oldest_unread_message_of_the_customer() -> None:
    listed = [
        {"id": name, "direction": "INBOUND" if name.startswith("in") else "OUTBOUND"}
        for name in ("in4", "out2", "in3", "in2", "out1", "in1")
    ]
    script = (
        "[[0, true], [1, true], [3, true], [9, false], [9, true]].map(([count, hasMore]) =>"
        " [m.firstUnread(value, {count, newest: 'in4'}, hasMore), m.missingUnread(value, {count, newest: 'in4'})])"
    )

    assert run(UNREAD, script, listed) == [
        [None, 0],
        ["in4", 0],
        ["in2", 0],
        ["in1", 5],
        [None, 5],
    ]


def test_messages_after_the_opening_do_not_move_the_first_unread_one() -> None:
    listed = [{"id": f"in{n}", "direction": "INBOUND"} for n in (6, 5, 4, 3)]

    assert run(UNREAD, "m.firstUnread(value, {count: 2, newest: 'in5'}, true)", listed) == "in4"


def test_a_file_is_the_same_one_under_each_signature_and_is_asked_for_once_after_a_failure() -> (
    None
):
    script = (
        "[m.fileOf('https://b/k.jpg?X-Amz-Signature=1') === m.fileOf('https://b/k.jpg?X-Amz-Signature=2'),"
        " m.fileOf('https://b/k.jpg?x') === m.fileOf('https://b/other.jpg?x'),"
        " m.afterFailure('a', 'b', false), m.afterFailure('a', 'a', false), m.afterFailure('a', 'a', true)]"
    )

    assert run(FILE, script, None) == [True, False, "use_newer", "ask", "give_up"]


def test_a_refresh_of_a_conversation_is_one_call_and_keeps_the_changes_that_it_has() -> None:
    script = """
    await (async () => {
      const asked = [];
      const client = {call: async (route, {query}) => {
        asked.push([route, query.revision ?? null]);
        const changes = query.revision === 4 ? {} : {changes: ["resolved"]};
        return {result: {revision: 4, messages: {messages: ["m1"], cursor: "c"}, notes: ["n1"], ...changes}};
      }};
      const first = await m.load(client, "key", null, null);
      const second = await m.load(client, "key", null, first);
      return {asked, changes: [first.changes, second.changes], shown: [second.messages, second.notes, second.older]};
    })()
    """

    loaded = run("conversations/whatsapp/conversationData.ts", script, None)

    route = "GET /whatsapp/conversations/{key}"
    assert loaded == {
        "asked": [[route, None], [route, 4]],
        "changes": [["resolved"], ["resolved"]],
        "shown": [["m1"], ["n1"], "c"],
    }
