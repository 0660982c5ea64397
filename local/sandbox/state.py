"""The state of a running sandbox: recorded requests, faults, media, clock, and the providers' accounts."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config as BotoConfig

from local.sandbox.accounts.bedrock import Bedrock
from local.sandbox.accounts.knowledge_bases import KnowledgeBases
from local.sandbox.accounts.media import library
from local.sandbox.accounts.openai import OpenAi
from local.sandbox.accounts.shop import Shop
from local.sandbox.accounts.text_messages import TextMessages
from local.sandbox.accounts.tickets import HelpDesk
from local.sandbox.faults import Faults, Operations

if TYPE_CHECKING:
    from collections.abc import Mapping

    import uvicorn

    from local.sandbox.accounts.mail.accepted_mails import AcceptedMail
    from local.sandbox.accounts.mail.mail_endings import MailEnding
    from local.sandbox.config import Config, Publish, PutObject


@dataclass(frozen=True)
class Sent:
    """
    A request that a provider executed.

    `body` is the parsed request body; `answer` the JSON response, also if a fault prevented its
    delivery (None for files). `at` is ISO 8601 UTC. `headers` have lower-case names and contain no
    credentials.
    """

    provider: str
    operation: str
    path: str
    query: Mapping[str, str]
    body: object
    answer: object
    at: str
    headers: Mapping[str, str]


class Clock:
    """The sandbox's time: real time plus the offset that tests set."""

    def __init__(self) -> None:
        self._ahead_seconds = 0.0

    def now(self) -> float:
        """Return the seconds since 1970, UTC."""
        return time.time() + self._ahead_seconds

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self._ahead_seconds += seconds


class Sandbox:
    """A sandbox that serves at `url`; tests read and change it from their own thread."""

    def __init__(self, config: Config, operations: Operations) -> None:
        self.config = config
        self.clock = Clock()
        self.operations = operations
        self.faults = Faults(operations)
        self.media = library(config.media_dir)
        self.sendable_media = {media_id for media_id, file in self.media.items() if not file.gone}
        self.templates: list[dict[str, object]] = []  # message templates, each with its `waba`
        # Other objects that the WhatsApp providers keep: kind -> id -> object.
        self.objects: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self.help_desk = HelpDesk()
        self.shop = Shop()
        self.openai = OpenAi()
        self.bedrock = Bedrock()
        self.knowledge_bases = KnowledgeBases()
        self.texts = TextMessages()
        self.mail_endings: dict[str, MailEnding] = {}  # by recipient
        self.mails: dict[str, AcceptedMail] = {}  # by SES id; emptied with `sent`
        self.url = ""
        self.server: uvicorn.Server | None = None
        self._sent: list[Sent] = []
        self._s3 = None
        self._sns = None
        self.put_object: PutObject | None = config.put_object
        self.publish: Publish | None = config.publish
        region = boto3.session.Session().region_name or "us-east-1"
        if self.put_object is None and config.aws_endpoint is not None:
            self._s3 = boto3.client(
                "s3",
                endpoint_url=config.aws_endpoint,
                region_name=region,
                config=BotoConfig(s3={"addressing_style": "path"}),
            )
            self.put_object = self._put_in_s3
        if self.publish is None and config.aws_endpoint is not None:
            self._sns = boto3.client("sns", endpoint_url=config.aws_endpoint, region_name=region)
            self.publish = self._publish_on_sns

    @property
    def sent(self) -> list[Sent]:
        """A copy of the executed requests, oldest first."""
        return list(self._sent)

    def record(self, sent: Sent) -> None:
        """Add to `sent`."""
        self._sent.append(sent)

    def forget_sent(self) -> None:
        """Empty `sent`, and forget its e-mails."""
        self._sent.clear()
        self.mails.clear()

    def reset(self) -> None:
        """Restore the initial state: no requests, faults, seeds of control routes or queued answers."""
        self.forget_sent()
        self.faults.clear()
        self.clock = Clock()
        self.templates.clear()
        self.objects.clear()
        self.help_desk = HelpDesk()
        self.shop = Shop()
        self.openai = OpenAi()
        self.bedrock = Bedrock()
        self.knowledge_bases = KnowledgeBases()
        self.texts = TextMessages()
        self.mail_endings = {}

    def close(self) -> None:
        """Close the AWS clients."""
        for client in (self._s3, self._sns):
            if client is not None:
                client.close()

    def timestamp(self) -> str:
        """Return the current time, ISO 8601 UTC with milliseconds."""
        now = datetime.fromtimestamp(self.clock.now(), UTC)
        return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    async def pause(self, seconds: float) -> None:
        """Wait in real time, at most until the server stops."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not self._stops and (left := deadline - loop.time()) > 0:
            await asyncio.sleep(min(left, 0.05))

    def close_connection(self, client: tuple[str, int] | None, *, reset: bool) -> None:
        """Close the connection to *client* (address, port), with a TCP reset if *reset*."""
        for connection in list(self.server.server_state.connections) if self.server else ():
            if getattr(connection, "client", None) != client:
                continue
            if reset:
                # linger for 0 seconds: closing then sends RST instead of FIN
                sock = connection.transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.transport.abort()

    @property
    def _stops(self) -> bool:
        return self.server is None or self.server.should_exit

    def _put_in_s3(self, bucket: str, key: str, content: bytes, content_type: str) -> None:
        assert self._s3 is not None  # noqa: S101 - only used when there is a client
        self._s3.put_object(Bucket=bucket, Key=key, Body=content, ContentType=content_type)

    def _publish_on_sns(self, topic_arn: str, message: str) -> None:
        assert self._sns is not None  # noqa: S101 - as above
        self._sns.publish(TopicArn=topic_arn, Message=message)
