"""Names of months and weekdays, and words for hours and the next day, in many languages."""

from collections.abc import Mapping

from shared.ai.texts.languages.function_words import plain_words

_MONTHS: tuple[str, ...] = (
    """january jan januar janvier janv enero ene gennaio gen janeiro januari stycznia styczeń ledna leden tammikuuta
    január ianuarie ocak января январь січня ιανουαρίου يناير""",
    """february feb februar février fevrier févr febrero febbraio fevereiro fev februari lutego luty února únor
    helmikuuta február februarie şubat февраля февраль лютого φεβρουαρίου فبراير""",
    """march mar märz maerz mars marzo março marco maart mrz marca marzec března březen marts maaliskuuta március
    martie mart марта март березня μαρτίου مارس""",
    """april apr avril avr abril abr aprile kwietnia kwiecień dubna duben huhtikuuta április aprilie nisan апреля
    апрель квітня απριλίου أبريل ابريل إبريل""",
    """may mai mayo maggio mag maio mei maja maj května květen toukokuuta május mayıs мая май травня μαΐου مايو""",
    """june jun juni juin junio giugno giu junho czerwca czerwiec června červen kesäkuuta június iunie haziran июня
    июнь червня ιουνίου يونيو""",
    """july jul juli juillet juil julio luglio lug julho lipca lipiec července červenec heinäkuuta július iulie
    temmuz июля июль липня ιουλίου يوليو""",
    """august aug août aout agosto ago augustus augusti sierpnia sierpień srpna srpen elokuuta augusztus ağustos
    августа август серпня αυγούστου أغسطس اغسطس""",
    """september sep sept septembre septiembre settembre set setembro września wrzesień září syyskuuta szeptember
    septembrie eylül сентября сентябрь вересня σεπτεμβρίου سبتمبر""",
    """october oct oktober okt octobre octubre ottobre ott outubro out października październik října říjen
    lokakuuta október octombrie ekim октября октябрь жовтня οκτωβρίου أكتوبر اكتوبر""",
    """november nov novembre noviembre novembro listopada listopad listopadu marraskuuta noiembrie kasım ноября
    ноябрь листопада νοεμβρίου نوفمبر""",
    """december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia grudzień prosince
    prosinec joulukuuta decembrie aralık декабря декабрь грудня δεκεμβρίου ديسمبر""",
)
MONTH_OF: Mapping[str, int] = {
    name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()
}
_WEEKDAYS: tuple[str, ...] = (
    """monday mon montag lundi lunes lunedì segunda maandag poniedziałek pondělí måndag mandag maanantai hétfő luni
    pazartesi понедельник понеділок δευτέρα الاثنين الإثنين""",
    """tuesday tue dienstag mardi martes martedì terça dinsdag wtorek úterý tisdag tirsdag tiistai kedd marți salı
    вторник вівторок τρίτη الثلاثاء""",
    """wednesday wed mittwoch mercredi miércoles mercoledì quarta woensdag środa środę středa středu onsdag
    keskiviikko szerda miercuri çarşamba среда среду середа середу τετάρτη الأربعاء""",
    """thursday thu donnerstag jeudi jueves giovedì quinta donderdag czwartek čtvrtek torsdag torstai csütörtök joi
    perşembe четверг четвер πέμπτη الخميس""",
    """friday fri freitag vendredi viernes venerdì sexta vrijdag piątek pátek fredag perjantai péntek vineri cuma
    пятница пятницу п'ятниця παρασκευή الجمعة""",
    """saturday sat samstag sonnabend samedi sábado sabato zaterdag sobota sobotę sobotu lördag lørdag lauantai
    szombat sâmbătă cumartesi суббота субботу субота суботу σάββατο السبت""",
    """sunday sun sonntag dimanche domingo domenica zondag niedziela niedzielę neděle neděli söndag søndag sunnuntai
    vasárnap duminică pazar воскресенье неділя неділю κυριακή الأحد""",
)
WEEKDAY_OF: Mapping[str, int] = {
    word: number for number, names in enumerate(_WEEKDAYS) for word in plain_words(names)
}
TOMORROW = frozenset(
    plain_words(
        """tomorrow morgen demain mañana domani amanhã jutro zítra imorgon huomenna holnap mâine yarın завтра αύριο
        غدا غداً 明日"""
    )
)
_HOURS: tuple[str, ...] = (
    "midnight mitternacht minuit medianoche mezzanotte", "one eins une una uma", "two zwei deux dos due duas",
    "three drei trois tres tre três", "four vier quatre cuatro quattro quatro", "five fünf cinq cinco cinque",
    "six sechs seis sei", "seven sieben sept siete sette sete", "eight acht huit ocho otto oito",
    "nine neun neuf nueve nove", "ten zehn dix diez dieci dez", "eleven elf onze once undici",
    "twelve zwölf douze doce dodici noon midday mittag mittags midi mediodía mezzogiorno",
)  # fmt: skip
HOUR_NAMES: Mapping[str, int] = {
    name: number for number, names in enumerate(_HOURS) for name in names.split()
}
_HOUR_WORDS: Mapping[str, int] = {
    word: number for number, names in enumerate(_HOURS) for word in plain_words(names)
}
# Hours in languages whose words for them are also other words: only beside a part of the day.
SPOKEN_HOURS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "één ett jedna pierwszej pierwsza час bir", "twee två drugiej druga dvě два iki",
            "drie tre trzeciej trzecia tři три üç", "vier fyra czwartej czwarta čtyři четыре dört",
            "vijf fem piątej piąta pět пять beş", "zes sex seks szóstej szósta šest шесть altı",
            "zeven sju syv siódmej siódma sedm семь yedi", "acht åtta otte åtte ósmej ósma osm восемь sekiz",
            "negen nio ni dziewiątej dziewiąta devět девять dokuz", "tien tio ti dziesiątej dziesiąta deset десять",
            "elf elva elleve jedenastej jedenasta jedenáct одиннадцать onbir",
            "twaalf tolv dwunastej dwunasta dvanáct двенадцать oniki",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
NUMBER_WORDS: Mapping[str, int] = {
    **{word: number for name, number in SPOKEN_HOURS.items() for word in plain_words(name)},
    **_HOUR_WORDS,
}
