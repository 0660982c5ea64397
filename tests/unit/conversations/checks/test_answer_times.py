"""Hours of an answer: proven by the same hour on a clock of 12 or 24 hours, and not by the other half of the day."""

from conversations.ai.checks.values.comparison import KnownTexts, unknown_values
from tests.cases import each


def is_known(fact: str, answer: str) -> bool:
    faults = {str(one) for one in unknown_values(answer, KnownTexts(frozenset({fact})))}
    assert faults <= {"unknown_time"}
    return not faults


@each(
    ("fact", "answer"),
    [
        ("9 pm", "We open at 21:00."), ("Open until 9", "We are open until 9 pm."),
        ("Open until 9", "Wir haben bis 21 Uhr geöffnet."), ("21:00", "at 9 p.m."), ("21:00", "at 9:00 tonight"),
        ("nine in the evening", "at 21:00"), ("at nine", "at 21:00"), ("9-5", "from 9:00 to 17:00"),
        ("9-5", "until 5 pm"),
        ("Mon-Fri 9:00-17:00, Sat 9-1", "Saturday until 1 pm"), ("9", "at 9 o'clock"), ("9", "at 9 am"),
        ("slot: 5", "at 5 pm"), ("11 at night", "at 23:00"), ("2 at night", "at 2 am"), ("7-8 pm", "from 7 pm"),
        ("21 Uhr", "um 21:00 Uhr"), ("9 Uhr abends", "um 21 Uhr"), ("neun Uhr", "um 9:00 Uhr"),
        ("21:00", "heute Abend um 9 Uhr"), ("abends um 9", "um 21 Uhr"), ("9 Uhr", "at 9 am"),
        ("9h du soir", "à 21h00"), ("neuf heures", "à 9h00"), ("21h", "à 9 h du soir"),
        ("a las 9 de la noche", "a las 21:00"), ("nueve de la mañana", "a las 9:00"), ("21:00", "a las 9 de la noche"),
        ("alle 9 di sera", "alle 21:00"), ("9 da noite", "às 21h00"), ("9 uur 's avonds", "om 21.00 uur"),
        ("kl 9", "kl 09.00"), ("kl. 9 på kvällen", "kl 21"), ("i kväll kl 9", "kl. 21.00"), ("kl 21", "kl. 21:00"),
        ("dziewiąta wieczorem", "o 21:00"), ("9 вечера", "в 21:00"), ("девять вечера", "в 21:00"), ("9 утра", "в 9:00"),
        ("akşam 9", "saat 21:00"), ("午後9時", "21時"), ("오후 9시", "21:00"), ("الساعة 9 مساء", "21:00"),
        ("między 10 a 14", "Między 10 a 14."), ("10-14 Uhr", "Zwischen 10 und 14, gerne."),
        ("08:10", "kurz nach 8 Uhr"), ("14:30", "sobre las 15:00"),
        ("om tien uur", "om 10.00 uur"), ("klockan tio", "kl. 10"), ("o dziesiątej", "o 10:00"),
        ("в десять", "в 10:00"), ("v deset", "v 10:00"), ("bugün saat onda", "saat 10:00"),
        ("saat on ikide", "saat 12:00"),
    ],
)  # fmt: skip
def test_the_same_hour_of_the_day_is_known_in_every_notation(fact: str, answer: str) -> None:
    assert is_known(fact, answer)


@each(
    ("fact", "answer"),
    [
        ("9", "kl 21"), ("kl 9", "kl 21"), ("kl 9", "at 9 pm"), ("kl. 09.00", "kl. 21.00"), ("klo 9", "klo 21"),
        ("Ouvert à 9h", "à 21h"), ("9 heures", "à 21h00"), ("9 Uhr", "um 21 Uhr"), ("ab 9 Uhr", "um 9 Uhr abends"),
        ("9 Uhr morgens", "um 21:00 Uhr"), ("21 Uhr", "um 9 Uhr"), ("09:00", "at 21:00"), ("09:00-17:00", "at 9 pm"),
        ("9:00-17:00", "at 21:00"), ("9-17", "bis 21 Uhr"), ("om 9.30 uur", "om 21.30 uur"), ("9 uur", "om 21:00"),
        ("a las 9", "a las 21:00"), ("a las 9 de la mañana", "a las 9 de la noche"), ("alle 9", "alle 21"),
        ("alle 9", "alle 21:00"), ("às 9h", "às 21h00"), ("o 9:00", "o 21:00"), ("godz. 9", "godz. 21"),
        ("в 9:00", "в 21:00"), ("9 утра", "в 9 вечера 21:00"), ("saat 9", "saat 21:00"), ("9時", "21時"),
        ("午前9時", "午後9時"), ("오전 9시", "21:00"), ("9 am", "at 9 pm"), ("9 am", "at 21:00"),
        ("9 in the morning", "at 21:00"),
        ("We have 9 rooms.", "Check-in is at 21:00."), ("nine rooms", "at 21:00"), ("21:00", "at 9 am"),
        ("kl 21", "kl 9"),
        ("9-5", "until 21:00"), ("neun Uhr", "um 21 Uhr"), ("alle nove", "alle 21:00"), ("11 at night", "at 11 am"),
        ("14:30", "gegen 16 Uhr"), ("08:10", "kurz nach 20 Uhr"),
        ("między 10 a 14", "Między 15 a 17."), ("9-17", "zwischen 17 und 21."),
        ("om tien uur", "om 22.00 uur"), ("tien kamers", "om 10.00 uur"), ("saat üçte", "saat 15:00"),
    ],
)  # fmt: skip
def test_an_hour_of_the_other_half_of_the_day_is_unknown(fact: str, answer: str) -> None:
    assert not is_known(fact, answer)
