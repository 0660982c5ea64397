"""S3 folders of the context: one per conversation, and one for parked events."""

from shared.aws.s3 import Bucket
from shared.aws.stored_objects import Folder

_OF_CONVERSATION = "conversations/{ref}/"


def folder_of(bucket: Bucket, ref: str) -> Folder:
    """Return the folder of one conversation: project data, recorded answers, long texts, copied files."""
    return Folder(bucket, _OF_CONVERSATION.format(ref=ref))


def parked_events(bucket: Bucket) -> Folder:
    """Return the folder for bodies of parked events. No `ref` equals its name: a `ref` has 26 characters."""
    return Folder(bucket, _OF_CONVERSATION.format(ref="parked"))
