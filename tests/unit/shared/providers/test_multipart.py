"""Multipart bodies against the parser of Python's standard library."""

from email import message_from_bytes

from hypothesis import given
from hypothesis import strategies as st

from shared.providers import multipart


@given(
    fields=st.dictionaries(st.from_regex(r"[a-z_]{1,20}", fullmatch=True), st.text(max_size=50), max_size=4),
    content=st.binary(max_size=200),
)  # fmt: skip
def test_fields_and_file_are_read_as_they_were_given(
    fields: dict[str, str], content: bytes
) -> None:
    file = multipart.File("the_file", "flow.json", "application/json", content)
    content_type, body = multipart.encoded(fields, file)

    boundary = content_type.partition("boundary=")[2].encode()
    parts = body.split(b"--" + boundary)[1:-1]
    read = {}
    for part in parts:
        head, _, rest = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = message_from_bytes(head).get_param("name", header="content-disposition")
        read[name] = rest.removesuffix(b"\r\n")
    assert read == {name: text.encode() for name, text in fields.items()} | {"the_file": content}


def test_equal_forms_have_equal_bodies() -> None:
    assert multipart.encoded({"name": "x"}) == multipart.encoded({"name": "x"})
