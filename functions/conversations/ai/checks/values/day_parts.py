"""
Words for a part of the day beside a time of the 12-hour clock: `9 pm`, `9 Uhr abends`, `nine in the evening`.

A night begins in the evening: `11 at night` is 23:00, `2 at night` is 2:00.
"""

import re
from functools import cache
from typing import Literal

type DayPart = Literal["am", "pm", "night"]

_NOON = 12
_FIRST_HOUR_OF_EVENING = 6  # the earliest hour that "at night" puts before midnight
_REACH = 28  # characters in which such words stand beside a time

_AFTER: dict[DayPart, str] = {
    "am": r"""a\.?m\b\.?|in the morning|this morning
        |(?:am )?(?:morgens|vormittags?|morgen fr[üu]h|fr[üu]h(?:morgens)?)\b|am morgen|du matin
        |de la ma[ñn]ana|de la madrugada|(?:di|del) mattin[oa]|da manh[ãa]|da madrugada
        |['’]?s (?:ochtends|morgens)|(?:i|på) (?:morgonen|förmiddagen|morgenen|formiddagen|morgonen)
        |om (?:morgenen|formiddagen)|aamulla|aamupäivällä|rano|przed południem|ráno|dopoledne|утра|ранку
        |sabah|diminea[țt]a|reggel|délelőtt|صباحا?|ص\b""",
    "pm": r"""p\.?m\b\.?|in the (?:afternoon|evening)|this (?:afternoon|evening)|tonight
        |(?:(?:am|heute) )?(?:abends?|nachmittags?)\b|[dc][ue] soir|de l['’]apr[èe]s[ -]midi
        |(?:de la|esta) tarde|esta noche|(?:di|della) sera|stasera|vanavond|hoje à noite|bu akşam
        |i (?:kväll|aften|kveld)|ikväll|сегодня вечером|(?:di|del) pomeriggio|da tarde
        |['’]?s (?:avonds|middags)|(?:på|om|i) (?:kvällen|eftermiddagen|aftenen|kvelden|ettermiddagen)
        |illalla|iltapäivällä|wieczorem|po południu|večer|odpoledne|вечера|дня|вечора|akşam(?:ı|leyin)?
        |öğleden sonra|seara|dup[ăa][ -]amiaz[ăa]|délután|مساءً?|م\b|بعد الظهر""",
    "night": r"""at night|nachts|in der nacht|de la nuit|de la noche|di notte|da noite|['’]?s nachts|på natten
        |om natten|yöllä|w nocy|v noci|ночи|ночі|gece|noaptea|éjjel|ليلا""",
}  # fmt: skip
_BEFORE: dict[DayPart, str] = {
    "am": r"""午前|上午|早上|早晨|凌晨|朝|오전|아침|sabah(?:ları)?|reggel|délelőtt|утром в|rano o|ráno v
        |in the morning at|morgens um|früh um""",
    "pm": r"""午後|下午|晚上|傍晚|夜|夕方|오후|저녁|밤|akşam(?:ları)?|öğleden sonra|délután|вечером в
        |wieczorem o|večer v|(?:tonight|in the evening|in the afternoon) at|abends um|nachmittags um|ce soir à
        |esta (?:tarde|noche) a las|stasera alle|vanavond om|(?:i kväll|ikväll|i aften|i kveld)(?: kl\.?)?
        |heute abend(?: um)?|illalla(?: (?:kello|klo))?""",
    "night": r"""gece|éjjel|ночью в|nachts um""",
}  # fmt: skip


_LATE = re.compile(
    r"afternoon|evening|night|\bp\.?m\b|abend|nachmittag|nacht|\bsoir|apr[èe]s[ -]midi|\btardes?\b|noche"
    r"|\bsera\b|stasera|pomeriggio|notte|noite|avond|middag|kväll|aften|kveld|ettermiddag|\billa|\bilta"
    r"|wieczor|połudn|večer|odpoledn|вечер|вечор|дня|ночи|akşam|öğleden sonra|gece|seara|amiaz|délután"
    r"|éjjel|مساء|الظهر|ليل|午後|下午|晚|夜|夕|오후|저녁|밤",
    re.IGNORECASE,
)


def day_part_at(text: str, start: int, end: int) -> DayPart | None:
    """Return the part of the day that *text* names right behind or before a time at these positions; None without."""
    behind, ahead = text[end : end + _REACH], text[max(0, start - _REACH) : start]
    patterns_behind, patterns_ahead = _patterns()
    for part, pattern in patterns_behind.items():
        if pattern.match(behind):
            return part
    return next((part for part, pattern in patterns_ahead.items() if pattern.search(ahead)), None)


def names_late_part(text: str) -> bool:
    """Whether *text* anywhere names the afternoon, the evening or the night."""
    return bool(_LATE.search(text))


def hour_in(part: DayPart, hour: int) -> int:
    """Return the hour of a clock of 24 hours that *hour*, of 0 to 24, is in a part of the day."""
    if hour > _NOON:
        return hour % 24
    if part == "night":
        part = "pm" if _FIRST_HOUR_OF_EVENING <= hour < _NOON else "am"
    return hour % _NOON + (_NOON if part == "pm" else 0)


@cache
def _patterns() -> tuple[dict[DayPart, re.Pattern[str]], dict[DayPart, re.Pattern[str]]]:
    """Return the patterns of words behind and before a time, compiled at the first time in a text."""
    # Behind a comma the words may belong to the next time: "8 Uhr, nachmittags ab 14 Uhr".
    next_time = r"(?!\s(?:um|ab|von|bis|from|at|until|à|de|a las|alle|dalle|às|das|om|vanaf|o|od|kl|с|до)\b)"
    behind = rf"\s{{{{0,2}}}}(?:{{0}})|,\s?(?:{{0}}){next_time}"
    ahead = r"(?:^|(?<=[\W\d_])|(?<=[぀-鿿가-힣]))(?:{})[\s,]{{0,2}}$"
    return _compiled(_AFTER, behind), _compiled(_BEFORE, ahead)


def _compiled(parts: dict[DayPart, str], pattern: str) -> dict[DayPart, re.Pattern[str]]:
    return {
        part: re.compile(pattern.format(re.sub(r"\s*\n\s*", "", words)), re.IGNORECASE)
        for part, words in parts.items()
    }
