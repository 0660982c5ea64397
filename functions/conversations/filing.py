"""Files that another context of ours has fetched: the message that they came with is pointed to them."""

from conversations import arriving, media
from conversations.items.log import Message
from conversations.resources import Resources
from conversations.store import messages, routes
from shared.events import FileStored
from shared.failures import Transient


def take(here: Resources, told: FileStored, *, is_last: bool) -> str:
    """
    Note where the file of a message lies. Safe to repeat. Raises Transient where the message is still on its way.

    What belongs to no conversation is left alone: whoever has told of it shows the file.
    """
    marker = routes.marked(here.log, told.provider, told.provider_message_id)
    if marker is not None and marker.ref is None:
        return "unmatched"
    found = None
    if marker is not None and marker.ref is not None:
        entry_id = arriving.entry_of(marker.ref, told.provider, told.provider_message_id)
        found = messages.get(here.log, marker.ref, Message.sk(marker.message_timestamp, entry_id))
    if marker is None or marker.ref is None or found is None:
        if is_last:
            return "unmatched"
        raise Transient("message_not_taken")
    key = media.key_in(here.bucket, told.provider, told.file.url or "")
    if key is None:
        return "not_ours"
    files = [
        {**file, "key": key} if file.get("provider_id") == told.file.provider_id else file
        for file in found.media
    ]
    is_whole = all("key" in file for file in files)
    state = media.STORED if is_whole else found.media_state
    facts = Message.named(media=files, media_state=state)
    sk = found.sk(found.message_timestamp, found.entry_id)
    messages.update(here.log, marker.ref, sk, facts)
    return "filed"
