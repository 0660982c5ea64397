"""The contexts whose queue events are recorded."""

from typing import Any, Final

from tests.upgrade.queues.context import Context
from tests.upgrade.queues.conversations import Conversations
from tests.upgrade.queues.email_threads import Mails
from tests.upgrade.queues.newsletters import Newsletters
from tests.upgrade.queues.richpanel import HelpDesk
from tests.upgrade.queues.whatsapp import Inbox

CONTEXTS: Final[dict[str, Context[Any]]] = {
    "whatsapp": Inbox(),
    "conversations": Conversations(),
    "richpanel": HelpDesk(),
    "email_threads": Mails(),
    "newsletters": Newsletters(),
}
