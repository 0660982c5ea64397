"""Words that begin a question without a mark."""

from collections.abc import Sequence
from functools import cache

from shared.ai.texts.languages.function_words import plain_words

_QUESTION_WORDS = """
    what when where who which why how was wann wo wer wie warum wieso welche welcher welches wohin quand pourquoi
    comment combien quel quelle cuándo dónde quién cómo cuál cuánto cuánta quando dove chi perché quale quanto onde
    quem qual wat wanneer waar wie hoe waarom welke kiedy gdzie kto jak dlaczego ile när var vem hur varför vilken
    hvornår hvor hvem hvordan hvorfor hvilken når missä milloin kuka miten miksi kdy kde kdo proč kolik mikor hol ki
    hogyan miért când unde cine cum nerede kim nasıl neden когда где кто как почему сколько коли де хто чому скільки
    πότε πού ποιος πώς γιατί متى أين من كيف لماذا كم מתי איפה מי איך למה כמה कब कहाँ"""


def has_question_word(words: Sequence[str]) -> bool:
    """Return whether one of the plain *words* begins a question, in any of the languages."""
    return not _question_words().isdisjoint(words)


@cache
def _question_words() -> frozenset[str]:
    return frozenset(plain_words(_QUESTION_WORDS))
