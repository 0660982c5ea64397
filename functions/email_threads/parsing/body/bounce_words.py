"""Words of mail servers by which bounces are recognised and classified. Codes and report parts count before them."""

from __future__ import annotations

import re
from typing import Final

FULL: Final = re.compile(
    r"(?:mail ?(?:box|folder)|inbox)(?: \S{1,60})? (?:is |was |has |limit )?(?:full|exceed)|(?<!relay )(?<!daily )(?<!sending )quota|over ?limit|storage (?:limit|space)"
    r"|insufficient (?:system )?storage|mailbox size|post(?:fach|kasten) .{0,40}(?:voll|überfüllt)|boîte .{0,60}pleine|buzón .{0,60}lleno|casella .{0,60}piena|postbus .{0,40}vol\b|skrzynk.{0,60}pełn|schránk.{0,60}(?:pln|přeplněn)|posta kutusu.{0,40}dolu"
    r"|caixa .{0,60}cheia|메일함.{0,20}(?:가득|초과)|ящик .{0,60}переполнен|メールボックスが一杯|容量.{0,10}超|邮箱.{0,6}(?:已满|满了)",
    re.IGNORECASE,
)
# The server refuses the sender's address, before any word about the recipient counts.
BAD_SENDER: Final = re.compile(
    r"sender(?:'s)? (?:address|domain|email|verif)\S* .{0,60}?(?:reject|refus|denied|invalid|fail|not exist)|domain of sender|sender (?:is |was )?(?:rejected|denied)"
    r"|unrout\w+ sender|unauthenticated sender|(?:email|sender) address is not verified",
    re.IGNORECASE,
)
NO_ADDRESS: Final = re.compile(
    r"user (?:unknown|not found)|unknown (?:user|address|recipient|mailbox)|no such (?:user|recipient|mailbox|person|address|domain|account)|does(?:n't| not) exist|may not exist"
    r"|(?:user|address|account|mailbox|recipient) (?:\S{1,80} )?(?:was |is |could )?(?:not (?:be )?found|unavailable|inactive|disabled|closed|suspended|unknown)"
    r"|no mailbox|no valid recipients|invalid (?:recipient|user|mailbox)|unrout(?:e)?able (?:address|mail)|not a (?:valid|known) (?:user|mailbox|recipient)|(?:disabled|unknown|invalid) recipient|invalid domain|illegal host|find a mail exchanger|no longer (?:exists|valid|active|here|available)"
    r"|host or domain name not found|(?:domain|host|mailbox|user|name) not found(?!\W+(?:please )?try again)|\bunknown host|no (?:smtp|mx) (?:service|record|host)|does not accept mail|malformed address|account .{0,20}(?:bloqu|blocked|disabled|suspend)"
    r"|compte .{0,30}bloqu|unbekannter (?:empfänger|benutzer)|(?:empfänger|benutzer|adresse) .{0,30}(?:unbekannt|existiert nicht|nicht gefunden)|inconnu à cette adresse|(?:utilisateur|destinataire) .{0,30}inconnu|n'existe (?:pas|plus)|nie istnieje|neexistuje|bestaat niet|não existe|존재하지 않|no existe|non esiste|не существует|не найден|存在しない|見つかりません|不存在|宛先不明",
    re.IGNORECASE,
)
RATE: Final = re.compile(
    r"gr[ae]y-?list|too many (?:recipients|connections|messages|concurrent|errors)|rate limit|frequency limit|(?:receiving|sending) (?:mail|messages) (?:at a rate|too)|throttl|too fast",
    re.IGNORECASE,
)
BLOCKED: Final = re.compile(
    r"\bspam|block(?:ed|list)|black ?list|deny ?list|\bdnsbl|\brbl\b|spamhaus|barracuda|spamcop|reputation|unsolicited|\bpolic(?:y|ies)\b"
    r"|dmarc|\bdkim\b.{0,40}fail|\bspf\b|not (?:authori[sz]ed|permitted|allowed)|access denied|content (?:rejected|filter)|virus|banned"
    r"|\bptr\b|\brdns\b|reverse dns|unverifyable sending|relay|forbidden|unauthenticated|(?:message|mail|mails?) (?:was |is |has been )?(?:rejected|rejeté)\b|[45]\d\d rejected"
    r"|invalid ip|network not allowed|our block list|messages from .{0,60} weren't sent|authentication checks? failed|not accepting connections",
    re.IGNORECASE,
)
# A mail or a server of which another one may pass.
PASSING: Final = re.compile(
    r"expired|tim(?:ed|e) ?-?out|timeout|retry (?:time|limit)|(?:giving|gave) up|in the queue too long|connection (?:refused|reset|lost|dropped)|unable to connect|accept (?:our|your) (?:requests? to )?connect"
    r"|not (?:reachable|responding)|unreachable|name service error|dns (?:query|error)|try again|loop(?:ing)?\b|too many hops|hop count|too (?:large|big|long)|(?:size|length|line) (?:limit|exceeds)|support tls|hosts have been failing|aborted after|system error|internal error"
    r"|service (?:currently )?unavailable|mailer error|transaction failed|not delivered within|delivery failed \d+ attempts",
    re.IGNORECASE,
)
TEMPORARY: Final = re.compile(
    r"delayed|temporar|will (?:be retried|retry|keep trying)|still trying|not yet been delivered|verzögert|retardé|warning",
    re.IGNORECASE,
)
# The sentence of a report that a mail did not arrive.
FAILURE: Final = re.compile(
    r"(?:could|can|was|were|is|has|have|been)(?: not|n't) (?:be )?(?:been )?(?:delivered|sent to)|unable to (?:deliver|send|transfer)|undeliver|delivery (?:to .{0,80} |has |of .{0,80} )?failed"
    r"|did not (?:receive|reach)|returned (?:to sender|below)|(?:was|been) rejected (?:by|and)|envelope expired|nicht zugestellt|unzustellbar|n'a pas pu être|no se (?:pudo|ha podido|puede) entregar"
    r"|non (?:è stato possibile|può essere) (?:recapit|consegn)|niet (?:worden )?(?:bezorgd|afgeleverd)|não (?:foi|pôde|pode) .{0,20}entreg|не (?:может быть|было|удалось) доставл?|送信できませんでした|配信できません|无法(?:投递|送达)|投递失败",
    re.IGNORECASE,
)
