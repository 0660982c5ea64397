"""Ada and Ben in all contexts, with what each stores of them."""

import pytest

from tests.integration.console.people import People, people_on_moto
from tests.integration.console.system import InboxSystem
from tests.integration.whatsapp.conftest import Harness


@pytest.fixture
def people(harness: Harness, inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch) -> People:
    found = people_on_moto(harness, inbox, monkeypatch)
    found.store()
    return found
