"""
Patterns of statements that an action is done, and that the writer is a person, by language.

`DONE` names the action as `verb`; `between` may hold a negation. `{w}` stands for the words between a verb and its
object, within a sentence.
"""

_W = r"(?P<between>[^.!?\n]{0,60}?)"

_DE = (
    "gebucht|storniert|bestellt|reserviert|umgebucht|verschoben|erstattet|abgesagt|gekündigt|verlängert|angemeldet"
    "|überwiesen|gesperrt"
)
_NL = "geboekt|gereserveerd|besteld|geannuleerd|afgezegd|opgezegd|verzet|verplaatst|verlengd|terugbetaald|ingepland"
_SV = "bokat|avbokat|beställt|avbeställt|ombokat|reserverat|återbetalat|sagt upp|förlängt|flyttat"
_SV_PASSIVE = "bokad|bokat|avbokad|avbokat|beställd|ombokad|ombokat|reserverad|återbetald|uppsagd|uppsagt|förlängd"
_DA = (
    "booket|bestilt|reserveret|aflyst|afbestilt|annulleret|ombooket|refunderet|opsagt|flyttet|avbestilt|kansellert"
    "|reservert"
)
_RU = "забронирова|отмени|заказа|зарезервирова|верну|продли|оформи|заморози"
_RU_PASSIVE = "забронирован|отмен[её]н|заказан|перенес[её]н|оформлен|продл[её]н|возвращ[её]н"
_RU_WE = r"(?:\b(?:я|мы)\s(?:уже\s|только что\s)?|(?:^|[.!?]\s)(?:готово[,!]?\s)?)"
_PL = "zarezerwował|odwołał|anulował|zamówił|przełożył|zwrócił|przedłużył|umówił|wypowiedział"
_PL_PASSIVE = "zarezerwowan|odwołan|anulowan|zamówion|przełożon|zwrócon|przedłużon|rozwiązan"

DONE: tuple[str, ...] = (
    # English
    r"\b(?:I|we)(?:['\u2019]ve| have)?(?: (?:just|now|already|also|successfully|gone ahead and))*"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|scheduled|refunded|purchased|moved|paid|frozen|paused"
    r"|suspended|renewed|extended|enrolled|terminated|transferred)\b",
    r"\b(?:has|have)(?: now| just)? been(?: successfully| now)?"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|frozen|renewed|extended|terminated)\b",
    r"\b(?:is|are) now (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|frozen)\b",
    # German
    rf"\b(?:habe ich|ich habe|haben wir|wir haben)\b{_W}\b(?P<verb>{_DE})\b",
    rf"\bwurden?\b{_W}\b(?P<verb>{_DE})\b",
    # French
    r"(?:\bj['\u2019]ai|\bnous avons)(?: bien| déjà| maintenant)? (?P<verb>réservé|annulé|commandé|remboursé|déplacé"
    r"|reporté|résilié|prolongé)e?s?\b",
    r"\ba(?: bien)? été (?P<verb>réservé|annulé|commandé|remboursé|déplacé|reporté|résilié|prolongé)e?s?\b",
    # Spanish
    r"\b(?:he|hemos|ha sido|han sido|queda|quedó)(?: ya)? (?P<verb>reservad|cancelad|anulad|pedid|reembolsad|cambiad"
    r"|agendad|pagad)[oa]s?\b",
    r"\b(?P<verb>reservé|cancelé|anulé|agendé|reembolsé)\b",
    # Italian
    r"\b(?:ho|abbiamo|è stat[oa]|sono stat[ei])(?: già)? (?P<verb>prenotat|annullat|cancellat|ordinat|rimborsat|spostat"
    r"|disdett|prorogat)[oaie]\b",
    # Portuguese
    r"\b(?P<verb>reservei|cancelei|encomendei|agendei|remarquei|reagendei|desmarquei|reembolsei|marquei|reservámos|cancelámos"
    r"|renovei|prolonguei)\b",
    r"\bfo(?:i|ram) (?P<verb>reservad|cancelad|encomendad|agendad|remarcad|reembolsad|marcad|renovad)[oa]s?\b",
    # Dutch
    rf"\b(?:ik heb|heb ik|wij hebben|we hebben)\b{_W}\b(?P<verb>{_NL})\b",
    r"\bheb\b(?P<between>[^.!?\n]{0,30}?)\bafspraak\b[^.!?\n]{0,40}?\b(?P<verb>gemaakt)\b",
    r"\b(?:is|zijn|werd)\b(?P<between>[^.!?\n]{0,40}?)\b(?P<verb>geboekt|gereserveerd|geannuleerd|afgezegd|opgezegd|verzet"
    r"|verlengd|terugbetaald)\b",
    # Polish
    rf"\b(?P<verb>{_PL})(?:em|am)\b",
    r"\b(?P<verb>zapisał)(?:em|am) (?:cię|pana|panią|państwa|was)\b",
    rf"\b(?:został[ayo]?|jest już|są już) (?P<verb>{_PL_PASSIVE})[aeyoi]\b",
    # Swedish, Danish, Norwegian
    rf"\b(?:jag har|har jag|vi har|har vi)\b{_W}\b(?P<verb>{_SV})\b",
    rf"\b(?:är(?: nu)?|har blivit|blev) (?P<verb>{_SV_PASSIVE})\b",
    rf"\b(?:jeg har|har jeg|vi har|har vi|er(?: nå| nu)?|er blevet|er blitt)\b{_W}\b(?P<verb>{_DA})\b",
    # Russian
    rf"{_RU_WE}(?P<verb>{_RU})(?:л|ла|ли)\b",
    rf"{_RU_WE}(?P<verb>перен[её]с)(?:ла|ли)?\b",
    rf"{_RU_WE}(?P<verb>записал)[аи]?\s(?:вас|тебя|(?-i:[А-ЯЁ])\w+)\sна\b",
    rf"\b(?P<verb>{_RU_PASSIVE})[аоы]?\b",
    # Turkish
    r"\b(?P<verb>iptal|rezerve|sipariş|iade)\s(?:ettim|ettik|edildi|verdim|verdik|aldım|yaptım|edilmiştir)\b",
    r"\brezervasyon\w*\s(?P<verb>yapt\u0131m|yapt\u0131k|ald\u0131m|yap\u0131ld\u0131)\b",
    # Arabic: "I have", "has been"
    r"(?:\bلقد\s|\bقد\s|\bتم\s|^)(?P<verb>ألغيت|حجزت|أجلت|إلغاء|حجز|تأجيل|استرداد)\b",
    # Japanese
    r"(?P<verb>キャンセル|予約|変更|注文|手配|返金)(?:を)?(?:いた)?しました",
)  # fmt: skip

_REAL = r"(?:real|actual|live|genuine)"
HUMAN: tuple[str, ...] = (
    # English
    rf"\bI(?:['\u2019]m| am)(?: (?:really|actually|indeed|definitely|of course))?(?: (?:a|an))?(?: {_REAL})?"
    r" (?:person|human(?: being)?|man|woman)\b(?! resources)",
    r"\bI(?:['\u2019]m| am) not (?:a |an )?(?:bot|robot|machine|computer|program|AI|chatbot|automated)\b",
    # German
    r"\bich bin (?:wirklich |tatsächlich |natürlich )?(?:ein|eine)"
    r" (?:echter? |richtiger? |realer? )?(?:Mensch|Person|Mann|Frau)\b",
    r"\bich bin (?:kein|keine) (?:Bot|Roboter|Maschine|Computer|Programm|KI|Chatbot)\b",
    # French
    r"\bje suis (?:bien )?(?:une? )?(?:vraie? )?(?:personne|humaine?|être humain)\b",
    r"\bje ne suis pas une? (?:robot|bot|machine|IA|ordinateur|programme)\b",
    # Spanish
    r"\bsoy (?:una |un )?(?:verdader[ao] )?(?:persona|humano|humana|ser humano)\b",
    r"\bno soy (?:una |un )?(?:bot|robot|máquina|IA)\b",
    # Italian
    r"(?<!non )\bsono (?:una |un )?(?:vera )?(?:persona(?! (?:che|del))|essere umano|umano|umana)\b",
    r"(?<!non )\bsono [^.!?,\n]{0,40}, una (?:vera persona|persona (?:vera|reale|in carne))\b",
    r"\bnon sono (?:una |un )?(?:bot|robot|macchina|IA)\b",
    # Portuguese
    r"\bsou (?:mesmo )?(?:uma |um )?(?:pessoa|humano|humana|ser humano)\b",
    r"\bnão sou (?:uma |um )?(?:bot|robô|máquina|IA)\b",
    # Dutch
    r"\bik ben (?:wel )?(?:gewoon )?(?:echt )?een (?:echt |echte |levend )?(?:mens|persoon)\b",
    r"\bik ben geen (?:bot|robot|machine|computer|AI|chatbot)\b",
    # Polish
    r"(?<!nie )\bjestem (?:prawdziwym |prawdziwą |żywym |żywą )?(?:człowiekiem|osobą)\b",
    r"\bnie jestem (?:botem|robotem|maszyną|programem|automatem)\b",
    # Swedish, Danish, Norwegian
    r"\b(?:jag är|jeg er) (?:faktiskt |faktisk )?(?:en |et )?(?:riktig |verklig |ægte |rigtig |ekte |virkelig )?"
    r"(?:människa|person|menneske)\b",
    r"\b(?:jag är|jeg er) (?:inte|ikke) (?:en )?(?:bot|robot|maskin|maskine|chatbot)\b",
    # Russian, Ukrainian
    r"\bя\s(?:[-\u2013\u2014]\s)?(?:настоящий |живой |реальный |справжня |жива )?(?:человек|людина)\b",
    r"\bя\s(?:[-\u2013\u2014]\s)?не (?:бот|робот|машина|программа)\b",
    # Turkish
    r"\bben (?:de )?(?:gerçek )?(?:bir )?(?:insanım|kişiyim)\b",
    r"\b(?:bot|robot|makine) değilim\b",
    # Arabic
    r"\bأنا (?:إنسان|انسان|شخص حقيقي|بشر)\b",
    r"\b(?:لست|لستُ) (?:روبوت|آلة|بوت)\w*",
    # Japanese
    r"(?:私は|わたしは)(?:本物の)?人間(?:です|の)",
)  # fmt: skip
CONDITION = (
    r"\b(?:if|once|when|until|after|before|as soon as|whether|sobald|wenn|falls|nachdem|ob|dès que|quand|si|cuando"
    r"|en cuanto|quando|se|appena|assim que|als|zodra|wanneer|nadat|jeśli|gdy|kiedy|skoro|om|när|efter att|hvis|når"
    r"|если|когда|как только|после того как|إذا|عندما|بعد)\b[^.!?,;]{0,30}$"
)
NEGATION = r"\b(?:nicht|keine?[nmrs]?|nie|niet|geen|nooit|inte|inga|ingen|aldrig|ikke)\b"
