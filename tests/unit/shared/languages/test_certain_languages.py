"""The language of a text is known only where it is certain: answers are refused on it."""
# ruff: noqa: RUF001 - texts of many scripts are the subject of these tests

import pytest

from shared.ai.texts.languages.certain_languages import (
    certain_language,
    known_language,
    names_a_language,
)
from tests.cases import each

# A question and an answer in each language.
TEXTS = {
    "en": (
        "Hello, when can I start and how much is the pay?",
        "You can start on Monday, and the pay is 14.50 an hour.",
    ),
    "de": (
        "Hallo, wann kann ich anfangen und wie hoch ist der Lohn?",
        "Sie können am Montag anfangen, der Lohn ist 14,50.",
    ),
    "fr": (
        "Bonjour, quand est-ce que je peux commencer ?",
        "Vous pouvez commencer lundi, et le salaire est de 14,50.",
    ),
    "es": (
        "Hola, ¿cuándo puedo empezar y cuál es el salario?",
        "Puede empezar el lunes, y el salario es de 14,50 la hora.",
    ),
    "it": (
        "Ciao, quando posso iniziare e quanto è lo stipendio della prima settimana?",
        "Può iniziare lunedì, e lo stipendio è di 14,50 all'ora.",
    ),
    "pt": (
        "Olá, quando posso começar e qual é o salário?",
        "Você pode começar na segunda, e o salário é de 14,50 por hora.",
    ),
    "nl": (
        "Hallo, wanneer kan ik beginnen en wat is het loon?",
        "U kunt op maandag beginnen, en het loon is 14,50 per uur.",
    ),
    "pl": (
        "Dzień dobry, kiedy mogę zacząć i jaka jest stawka?",
        "Może Pan zacząć w poniedziałek, a stawka to 14,50 za godzinę.",
    ),
    "cs": (
        "Dobrý den, kdy můžu nastoupit a jaký je plat?",
        "Můžete nastoupit v pondělí a plat je 14,50 za hodinu.",
    ),
    "ro": (
        "Bună ziua, când pot să încep și care este salariul?",
        "Puteți începe luni, iar salariul este de 14,50 pe oră.",
    ),
    "hu": (
        "Jó napot kívánok, mikor tudok kezdeni, és mennyi lesz a fizetés?",
        "Igen, hétfőn már kezdhet, és a fizetés 14,50, de ez még nem minden.",
    ),
    "sv": (
        "Hej, när kan jag börja och vad är lönen?",
        "Du kan börja på måndag och lönen är 14,50 i timmen.",
    ),
    "da": (
        "Hej, hvornår kan jeg begynde, og hvad er lønnen?",
        "Du kan begynde på mandag, og lønnen er 14,50 i timen.",
    ),
    "fi": (
        "Hei, milloin voin aloittaa ja mikä on palkka?",
        "Voitte aloittaa maanantaina, ja palkka on 14,50 tunnissa.",
    ),
    "tr": (
        "Merhaba, ne zaman başlayabilirim ve ücret ne kadar?",
        "Pazartesi günü için bir yer var ve ücret saatte 14,50.",
    ),
    "vi": (
        "Xin chào, khi nào tôi có thể bắt đầu và lương là bao nhiêu?",
        "Bạn có thể bắt đầu vào thứ Hai, và lương là 14,50 một giờ.",
    ),
    "id": (
        "Halo, kapan saya bisa mulai dan berapa gajinya?",
        "Anda bisa mulai pada hari Senin dan gajinya adalah 14,50.",
    ),
    "ru": (
        "Здравствуйте, когда можно начать и какая зарплата?",
        "Вы можете начать в понедельник, зарплата 14,50 в час.",
    ),
    "uk": (
        "Добрий день, коли я можу почати і яка зарплата?",
        "Ви можете почати в понеділок, зарплата 14,50 за годину.",
    ),
    "el": (
        "Γεια σας, πότε μπορώ να ξεκινήσω;",
        "Μπορείτε να ξεκινήσετε τη Δευτέρα, με 14,50 την ώρα.",
    ),
    "ar": (
        "مرحبا، متى يمكنني أن أبدأ وما هو الراتب؟",
        "يمكنك أن تبدأ يوم الاثنين، والراتب 14.50 في الساعة.",
    ),
    "he": ("שלום, מתי אפשר להתחיל ומה השכר?", "אפשר להתחיל ביום שני, והשכר הוא 14.50 לשעה."),
    "hi": (
        "नमस्ते, मैं कब शुरू कर सकता हूँ और वेतन कितना है?",
        "आप सोमवार से शुरू कर सकते हैं, वेतन 14.50 प्रति घंटा है।",
    ),
    "th": ("สวัสดีครับ ผมเริ่มงานได้เมื่อไหร่", "คุณเริ่มงานได้วันจันทร์ ค่าจ้างชั่วโมงละ 14.50"),
    "zh": ("你好，我什么时候可以开始，工资是多少？", "您星期一可以开始，工资是每小时14.50。"),
    "ja": ("こんにちは、いつから始められますか？", "月曜日から始められます。時給は14.50です。"),
    "ko": (
        "안녕하세요, 언제 시작할 수 있나요?",
        "월요일부터 시작할 수 있습니다. 시급은 14.50입니다.",
    ),
}
ONE_SCRIPT = [{"ru", "uk"}, {"zh", "ja"}]


@each("language", TEXTS)
def test_question_and_answer_of_one_language_never_differ(language: str) -> None:
    found = {certain_language(text) for text in TEXTS[language]}

    assert found <= {known_language(language), None}


@each("language", TEXTS)
def test_a_long_text_has_its_language_with_certainty(language: str) -> None:
    assert certain_language(" ".join(TEXTS[language])) == known_language(language)


@each("language", TEXTS)
def test_another_language_differs_with_certainty(language: str) -> None:
    own = certain_language(" ".join(TEXTS[language]))

    others = {
        other: certain_language(" ".join(texts))
        for other, texts in TEXTS.items()
        if other != language and {other, language} not in ONE_SCRIPT
    }
    assert own not in others.values()


@each(
    "text",
    [
        "ok", "OK 👍", "yes", "Sí", "Ja", "Da", "Tak", "no", "Ναι", "да", "да, конечно", "Здравствуйте", "是",
        "好的", "ありがとうございます", "감사합니다", "ขอบคุณครับ", "شكرا جزيلا", "ευχαριστώ πολύ", "はい", "네",
        "نعم", "हाँ", "ใช่", "Danke!", "14:30", "?", "", "Hola amigo", "Guten Tag", "merci beaucoup",
        "Warehouse Operative, London, 14.50",
    ],
)  # fmt: skip
def test_a_short_message_has_no_certain_language(text: str) -> None:
    assert certain_language(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Ich möchte den Job please, can you call me when you are there",
        "Hola, cuándo puedo empezar? Sorry, I do not speak it so well",
        "Здравствуйте, when can I start please",
        "Do you know 我什么时候可以开始工作吗谢谢",
        "haan ji, kaam kab se shuru karna hai",
        "Privet, kogda mozhno nachat rabotat",
        "Bonjour, je suis Ann. Hello, I am Ann and this is my question to you.",
    ],
)
def test_a_mixture_or_a_transcription_has_no_certain_language(text: str) -> None:
    assert certain_language(text) is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Please answer in German from now on, I am not so good at this", True),
        ("Können Sie bitte auf Englisch schreiben?", True),
        ("请用英语回答我的问题", True),
        ("Ответьте, пожалуйста, на английском", True),
        ("कृपया अंग्रेज़ी में लिखें", True),
        ("When can I start, and who will be there?", False),
        ("Answer in the customer's language.", False),
    ],
)
def test_a_text_that_names_a_language_is_recognised(text: str, named: bool) -> None:
    assert names_a_language(text) is named


@pytest.mark.parametrize(
    ("tag", "language"),
    [("de-AT", "de"), ("pt_BR", "pt"), ("nb", "da"), ("ru", "Cyrl"), ("zh-Hant", "Hani"), ("tlh", None), ("", None)],
)  # fmt: skip
def test_the_language_of_a_tag_is_comparable(tag: str, language: str | None) -> None:
    assert known_language(tag) == language
