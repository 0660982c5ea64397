"""Lists of recipients are read by their format: CSV as RFC 4180 and Excel write it, and JSON Lines."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.runtime import csv_files
from tests.cases import each
from whatsapp.actions.campaigns.pages import lists

TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('",;\t\n \r'),
    min_size=1,
    max_size=12,
)
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"]


def rows_of(content: bytes, chunk: int = 1 << 20) -> list[csv_files.Record]:
    layout = lists.layout_of(content[: 64 << 10])
    lists.check_names(layout)
    rest = content[layout.start :]
    chunks = (rest[at : at + chunk] for at in range(0, len(rest), chunk))
    return list(lists.records(chunks, layout, layout.start))


def refusal_of(content: bytes) -> str:
    try:
        faults = [record.fault for record in rows_of(content) if record.fault is not None]
    except csv_files.Unreadable as refusal:
        return refusal.problem
    return str(faults[0].problem)


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.just("+447700900101"), TEXTS.filter(str.strip), TEXTS), min_size=1, max_size=6),
    st.sampled_from(",;\t"), st.sampled_from(["\n", "\r\n"]), st.sampled_from(ENCODINGS),
    st.permutations(["to", "text", "1"]), st.integers(1, 50),
)  # fmt: skip
def test_each_cell_of_a_csv_list_arrives_whole_however_it_is_written_and_cut(  # noqa: PLR0917 - ways to write it
    rows: list[tuple[str, str, str]],
    delimiter: str,
    end: str,
    encoding: str,
    order: list[str],
    chunk: int,
) -> None:
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL)
    named = [dict(zip(("to", "text", "1"), row, strict=True)) for row in rows]
    writer.writerows([order, *([row[name] for name in order] for row in named)])
    content = written.getvalue().encode(encoding)
    found = rows_of(content, chunk)

    assert [record.given for record in found] == [
        {"to": to, "text": text, "bodyParams": [value]} for to, text, value in rows
    ]
    assert found[-1].end == len(content)


@settings(max_examples=40)
@given(st.lists(TEXTS, min_size=2, max_size=6), st.sampled_from(ENCODINGS), st.data())
def test_reading_goes_on_after_each_row(
    texts: list[str], encoding: str, data: st.DataObject
) -> None:
    written = io.StringIO(newline="")
    csv.writer(written).writerows([["to", "text"], *(["+1", text] for text in texts)])
    content = written.getvalue().encode(encoding)
    layout = lists.layout_of(content)
    whole = rows_of(content)
    done = data.draw(st.integers(1, len(whole) - 1))
    end = whole[done - 1].end

    rest = list(lists.records(iter([content[end:]]), layout, end))
    assert [(one.end, one.given) for one in rest] == [(one.end, one.given) for one in whole[done:]]


@each(
    "header",
    ["to,1", "To,1", "Phone,{{1}}", "phone_number,1", "Phone Number,1", "Mobile-Number,01", "WhatsApp number,1",
     '"to","1"', "sep=,\r\nto,1", "sep=\t\r\nto,1", " to , 1 ", "\n\nto,1", "MSISDN,1",
     "wa_id,1", "Tel,1", "cell,1", "toNumber,1",
     "Contact,1", '"phone\nnumber",1'],
)  # fmt: skip
def test_headers_are_read_in_several_spellings(header: str) -> None:
    (row,) = rows_of(f"{header}\n+447700900101,Ada\n".encode())
    assert row.given == {"to": "+447700900101", "bodyParams": ["Ada"]}


@each(
    ("content", "problem"),
    [
        (b"to,1\n+4477,Ada\n+4478,\"Bea\nx", "line 3, column 2: a quote is not closed"),
        (b'to,1\n"+4477"x,Ada\n', "line 2, column 1: text follows a closed quote"),
        (b'to,1\n+4477,"Ada\n\nL" x\n', "line 4, column 2: text follows a closed quote"),
        (b"to,1\n+4477,Ada,x\n", "line 2, column 3: the row has 3 cells, the header 2"),
        (b"to;1\n+4477;Ada\n+4478\n", "line 3, column 2: the row has 1 cells, the header 2"),
        (b"to,1\n+4477,Ad\xe9\n", "line 2, column 2: is not encoded in UTF-8"),
        ("to,1\n+4477,Ada".encode("utf-16") + b"\0", "is not encoded in UTF-16"),
        (b"name,1\n+4477,Ada\n", "line 1: the header must have a column to or recipient"),
        (b"+447700900101\n+447700900102\n", "line 1: the header must have a column to or recipient"),
        (b"to,name\n+4477,Ada\n", "line 1, column 2: the header has an unknown name"),
        (b"to,phone\n+4477,+4478\n", "line 1, column 2: is a second column to"),
        (b"to,1,3\n+4477,a,b\n", "line 1: numbered columns must be 1, 2"),
        (b'to,1\n+4477,"' + b"x" * 70_000 + b'"\n', "line 2: the row is longer than 65,536 characters"),
        (b"to,1\n+4477," + b"x" * 70_000, "line 2: the row is longer than 65,536 characters"),
        (b" \n\n", "the list has no row"),
        (b'"+447700900101"\n{"to": \n', "line 2, column 7: is no JSON"),
        (b'{"to": "+4477"}\n{"to": "\xff"}\n', "line 2, column 9: is not encoded in UTF-8"),
        (b'{"to": "+4477"}\n{"to": "+4477", "to": "+4478"}\n', "line 2: has a name twice"),
        (b'{"to": "+4477"}\n\n{"to": "+4477", "components": [{"a": 1, "a": 2}]}\n', "line 3: has a name"),
        (b'{"to": "+4477"}\n{"to": NaN}\n', "line 2, column 1: is no JSON"),
        (b'{"to": "+4477"}\n{"to": 1e999}\n', "line 2, column 1: is no JSON"),
        (b'[{"to": "+4477"}]\n', "line 1: the header must have a column to or recipient"),
        (b"{" + b'"a":{' * 30_000, "line 1"),
    ],
    ids=range(23),
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_line_and_column(content: bytes, problem: str) -> None:
    assert problem in refusal_of(content)


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ("+4477,,", {"to": "+4477", "text": ""}),
        (" +4477 , a , r ", {"to": "+4477", "text": "a ", "ref": "r"}),
        ('+4477, "Hello, Ada",', {"to": "+4477", "text": "Hello, Ada"}),
        ('+4477,5" wheel,', {"to": "+4477", "text": '5" wheel'}),
        (',"",r', {"text": "", "ref": "r"}),
    ],
)
def test_empty_cells_stay_empty_and_no_text_is_replaced(row: str, read: object) -> None:
    (found,) = rows_of(f"to,text,ref\n\n,,\n{row}\n".encode())
    assert found.given == read


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["", " ", "\r", '"+447700900101"', '{"to": "+447700900101"}']), max_size=9),
       st.sampled_from(["\n", "\r\n"]), st.sampled_from(ENCODINGS), st.integers(1, 40))  # fmt: skip
def test_lines_of_json_are_rows_unless_they_are_empty(
    lines: list[str], end: str, encoding: str, chunk: int
) -> None:
    content = end.join(['"+447700900100"', *lines]).encode(encoding)
    wanted = ["+447700900100", *(json.loads(line) for line in lines if line.strip())]

    assert [record.given for record in rows_of(content, chunk)] == wanted


ARABIC_PHONE = "\u0631\u0642\u0645 \u0627\u0644\u0647\u0627\u062a\u0641"
ARABIC_TEXT = "\u0627\u0644\u0631\u0633\u0627\u0644\u0629"


@each(
    ("header", "encoding"),
    [
        ("Telefonnummer;Nachricht", "utf-8"),
        ("Nachricht;Handynummer", "cp1252"),
        ("N\u00famero de telefone,Mensagem", "utf-8-sig"),
        ("Tel\u00e9fono m\u00f3vil\tMensaje", "utf-16"),
        (f"{ARABIC_PHONE},{ARABIC_TEXT}", "utf-16-be"),
        (f"{ARABIC_TEXT};{ARABIC_PHONE}", "utf-16-le"),
    ],
)
def test_a_header_may_name_its_columns_in_several_languages(header: str, encoding: str) -> None:
    first = lists.layout_of(f"{header}\r\n".encode(encoding))

    assert set(first.columns or ()) == {"to", "text"}


def test_a_header_in_another_encoding_is_refused_with_its_place() -> None:
    content = "1;Tel\u00e9fono\r\n".encode("cp1252")

    assert refusal_of(content) == "line 1, column 2: is not encoded in UTF-8"
