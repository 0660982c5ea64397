"""Where the objects of conversations are stored: one folder for each conversation, and one for parked events."""

from shared.aws.s3 import Bucket
from shared.aws.stored_objects import Folder

_OF_CONVERSATION = "conversations/{ref}/"


def folder_of(bucket: Bucket, ref: str) -> Folder:
    """The objects of one conversation: project data, recorded answers, long texts, copied files."""
    return Folder(bucket, _OF_CONVERSATION.format(ref=ref))


def parked_events(bucket: Bucket) -> Folder:
    """The bodies of parked events. No conversation has this name: a `ref` has 26 characters."""
    return Folder(bucket, _OF_CONVERSATION.format(ref="parked"))
