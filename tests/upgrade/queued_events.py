"""The contexts whose queue events are recorded."""

from typing import Any, Final

from tests.upgrade.queues.context import Context
from tests.upgrade.queues.conversations import Conversations
from tests.upgrade.queues.richpanel import HelpDesk
from tests.upgrade.queues.whatsapp import Inbox

CONTEXTS: Final[dict[str, Context[Any]]] = {
    "whatsapp": Inbox(),
    "conversations": Conversations(),
    "richpanel": HelpDesk(),
}
