"""Parts of generated strings of several kinds."""

from __future__ import annotations

from random import Random

ANYWHERE = [
    "{}",
    "Hi, {} is mine.",
    "Please use {} from now on",
    "It says: {}.",
    "I gave you {}, didn't I?",
    "Here ({}) as you asked",
    "{}\nSent from my phone",
    "hello\n{}\nbye",
    'They wrote "{}" on the form',
    "was ist mit {} passiert?",
    "Quiero usar {} por favor",
]


ALNUM = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def digits(random: Random, count: int, first: str = "0123456789") -> str:
    return random.choice(first) + "".join(random.choices("0123456789", k=count - 1))


def in_fours(number: str) -> str:
    return " ".join(number[start : start + 4] for start in range(0, len(number), 4))


def around(random: Random, before: list[str], secret: str, mask: str) -> tuple[str, str]:
    """A sentence with the secret, and the same with its mask. `{}` is the placeholder."""
    sentence = random.choice(before)
    return sentence.replace("{}", secret), sentence.replace("{}", mask)
