"""A mail on its way into a thread."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from email_threads.store.items import AliasKind
from email_threads.store.items.threads.thread import Automation, Direction

if TYPE_CHECKING:
    from email_threads.parsing.mail import ParsedMail
    from email_threads.threading.head.service_level import Targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """
    A parsed mail of a mailbox; *automation* and *retention_days* apply to a thread that it opens. *other_ids* are
    Message-IDs under which a mail that we sent may be known too; such a mail has *alias_kind* `sent`.

    *received_ms* is when SES received it (ms since 1970). *token_secrets*: secrets of the company's reply tokens that
    are valid, the newest first.

    Of a mail that was sent from a draft, *reply_id* is the draft, *own_thread* its thread, and *asked* are the
    requirements that it asks for. *targets*: of the mailbox, for a received mail. *close_days*,
    *reopen_days* and *ask_hours* (`satisfaction_delay_hours`): of the mailbox.
    """

    company_id: str
    mailbox: str
    mail: ParsedMail
    received_ms: int
    direction: Direction = Direction.INBOUND
    automation: Automation = Automation.NONE
    retention_days: int = 30
    raw_key: str | None = field(default=None, repr=False)
    other_ids: tuple[str, ...] = field(default=(), repr=False)
    alias_kind: AliasKind = AliasKind.MAIL
    token_secrets: tuple[bytes, ...] = field(default=(), repr=False)
    reply_id: str | None = None
    own_thread: str | None = None
    asked: tuple[str, ...] = ()
    targets: Targets | None = None
    close_days: int | None = None
    reopen_days: int | None = None
    ask_hours: int | None = None
