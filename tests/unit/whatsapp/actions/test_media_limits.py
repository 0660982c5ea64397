"""Properties of the limits of media files."""

from hypothesis import example, given
from hypothesis import strategies as st

from whatsapp.actions.media import limits
from whatsapp.worker.media.types import LIMITS

TYPES = st.sampled_from(sorted({each for limit in LIMITS.values() for each in limit.extensions}))
ANY_TYPE = st.from_regex(r"[a-z]{1,12}/[a-z0-9.+-]{1,20}", fullmatch=True)


@given(TYPES | ANY_TYPE, st.integers(0, 200 << 20), st.binary(max_size=32))
def test_a_file_without_problems_fits_the_limit_of_its_category(
    mime_type: str, size: int, first_bytes: bytes
) -> None:
    category = limits.category_of(mime_type)
    fits = not limits.problems_of(mime_type, size, first_bytes)

    if fits:
        assert 0 < size <= LIMITS[category].largest_bytes
        assert category == "document" or mime_type in LIMITS[category].extensions
    assert fits <= (not limits.problems_of(mime_type, size))


@given(TYPES)
def test_each_listed_type_is_of_the_category_that_lists_it(mime_type: str) -> None:
    category = limits.category_of(f"{mime_type.upper()}; codecs=opus")

    assert mime_type in LIMITS[category].extensions


@given(st.binary(max_size=64))
@example(b"ftyp")  # the bytes of a video, further on
@example(b"1234WEBP")
def test_an_executable_is_refused_as_any_type(content: bytes) -> None:
    for mime_type in ("application/pdf", "image/jpeg", "video/mp4", "image/webp"):
        assert limits.problems_of(mime_type, 100, b"\x7fELF" + content)
