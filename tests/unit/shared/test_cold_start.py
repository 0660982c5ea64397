"""What a start costs: the collector rests meanwhile, and works again for the events, whoever begins and ends."""

import gc
from collections.abc import Iterator

import pytest

from shared.runtime import gc_at_start
from tests.template import ROOT, resources

HANDLERS = sorted(
    {each["Properties"]["Handler"] for each in resources("AWS::Serverless::Function").values()}
)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    was_enabled = gc.isenabled()
    yield
    gc.unfreeze()
    if was_enabled:
        gc.enable()


@pytest.mark.parametrize("handler", HANDLERS)
def test_every_function_begins_its_start_and_ends_it(handler: str) -> None:
    file = (ROOT / "functions" / handler.replace(".", "/")).parent

    assert "gc_at_start.begin()" in (file.parent / "__init__.py").read_text(encoding="utf-8")
    assert "\ngc_at_start.done()\n" in file.with_suffix(".py").read_text(encoding="utf-8")


def test_no_garbage_is_collected_from_its_begin_to_its_end() -> None:
    gc_at_start.begin()
    assert not gc.isenabled()

    gc_at_start.done()
    assert gc.isenabled()


def test_what_was_there_at_the_end_is_not_looked_at_again() -> None:
    before = gc.get_freeze_count()
    gc_at_start.begin()

    gc_at_start.done()

    assert gc.get_freeze_count() > before + 1_000


def test_only_the_first_end_keeps_what_is_there() -> None:
    gc_at_start.begin()
    gc_at_start.done()
    gc.unfreeze()

    gc_at_start.done()

    assert gc.get_freeze_count() == 0
    assert gc.isenabled()
