"""Domains of mailbox providers, whose addresses belong to people of any company."""

from typing import Final

# Two senders of one of these domains have nothing to do with each other.
PUBLIC_DOMAINS: Final = frozenset({
    "163.com", "aol.com", "fastmail.com", "free.fr", "gmail.com", "gmx.com", "gmx.de", "gmx.net", "googlemail.com",
    "hotmail.co.uk", "hotmail.com", "icloud.com", "laposte.net", "libero.it", "live.com", "mac.com", "mail.com",
    "mail.ru", "me.com", "msn.com", "naver.com", "orange.fr", "outlook.com", "outlook.de", "proton.me",
    "protonmail.com", "qq.com", "rocketmail.com", "t-online.de", "web.de", "wp.pl", "yahoo.co.jp", "yahoo.co.uk",
    "yahoo.com", "yahoo.de", "yahoo.fr", "yandex.ru", "zoho.com",
})  # fmt: skip
