"""
Patterns of statements that an action is done, and that the writer is a person, by language.

`DONE` names the action as `verb`; `between` may hold a negation. `{w}` stands for the words between a verb and its
object, within a sentence.
"""

from collections.abc import Mapping

_W = r"(?P<between>(?:[^.!?\n]|(?<=\d)\.(?=\s)){0,60}?)"  # also over "14. April"

_DE = (
    "gebucht|storniert|bestellt|reserviert|umgebucht|verschoben|erstattet|abgesagt|gekündigt|verlängert|angemeldet"
    "|überwiesen|gesperrt|eingetragen|beantragt|veranlasst|aktiviert|deaktiviert|freigeschaltet|verlegt|abgemeldet|geändert"
    "|umgestellt|gutgeschrieben|hinzugefügt|aktualisiert|gelöscht"
)
_FR = (
    "réservé|annulé|commandé|remboursé|déplacé|reporté|résilié|prolongé|échangé|modifié|ajouté|inscrit|activé|désactivé"
    "|suspendu|crédité|supprimé|transféré|mis à jour"
)
_ES = (
    "reservad|cancelad|anulad|pedid|reembolsad|cambiad|agendad|pagad|añadid|apuntad"
    "|activad|tramitad|solicitad|suspendid|modificad|abonad|registrad|eliminad|actualizad"
)
_IT = (
    "prenotat|annullat|cancellat|ordinat|rimborsat|spostat|disdett|prorogat|sospes"
    "|attivat|disattivat|aggiunt|iscritt|aggiornat|modificat|cambiat|accreditat|registrat|rimoss"
)
_PT = (
    "reservad|cancelad|encomendad|agendad|remarcad|reembolsad|marcad|renovad|adicionad"
    "|ativad|processad|suspens|alterad|creditad|atualizad|removid|registrad"
)
_NL = (
    "geboekt|gereserveerd|besteld|geannuleerd|afgezegd|opgezegd|verzet|verplaatst|verlengd|terugbetaald|ingepland"
    "|geactiveerd|aangevraagd|toegevoegd"
)
_SV = (
    "bokat|avbokat|beställt|avbeställt|ombokat|reserverat|återbetalat|sagt upp|förlängt|flyttat|bytt|aktiverat"
    "|lagt till"
)
_SV_PASSIVE = "bokad|bokat|avbokad|avbokat|beställd|ombokad|ombokat|reserverad|återbetald|uppsagd|uppsagt|förlängd"
_DA = (
    "booket|bestilt|reserveret|aflyst|afbestilt|annulleret|ombooket|refunderet|opsagt|flyttet|avbestilt|kansellert"
    "|reservert"
)
_RU = "забронирова|отмени|заказа|зарезервирова|верну|продли|оформи|заморози"
_RU_PASSIVE = "забронирован|отмен[её]н|заказан|перенес[её]н|оформлен|продл[её]н|возвращ[её]н"
_RU_WE = r"(?:\b(?:я|мы)\s(?:уже\s|только что\s)?|(?:^|[.!?]\s)(?:готово[,!]?\s)?)"
_PL = "zarezerwował|odwołał|anulował|zamówił|przełożył|zwrócił|przedłużył|umówił|wypowiedział|aktywował|zgłosił|dodał"
_PL_PASSIVE = "zarezerwowan|odwołan|anulowan|zamówion|przełożon|zwrócon|przedłużon|rozwiązan"

# A participle that is a sentence of its own, perhaps with "is": "Booked!", "Ist gebucht, bis Montag."
_TERSE = r"(?:^|[.!?\n]\s?)(?:(?:{words}) )*(?P<verb>{verbs})(?=\s?[.!,\n]|$| (?:{after})\b)(?![^.!\n]*\?)"

DONE: tuple[str, ...] = (
    _TERSE.format(
        words="all|ok,?|okay,?|great,?|perfect,?|now|it['\u2019]s|that['\u2019]s|is",
        verbs="booked|reserved|ordered|cancell?ed|rescheduled|refunded",
        after="for you|it",
    ),
    _TERSE.format(words="ok,?|okay,?|gut,?|prima,?|alles|schon|bereits|ist|sind", verbs=_DE, after="für|auf"),
    _TERSE.format(words="ok,?|c['\u2019]est|bien|déjà", verbs=f"(?:{_FR})e?s?", after="pour vous"),
    _TERSE.format(words="ok,?|vale,?|ya|está|queda", verbs=f"(?:{_ES})[oa]s?", after="para|a su"),
    _TERSE.format(words="ok,?|va bene,?|già|è", verbs=f"(?:{_IT})[oaie]", after="per (?:te|lei|voi)"),
    _TERSE.format(words="ok,?|certo,?|já|está", verbs=f"(?:{_PT})[oa]s?", after="para"),
    _TERSE.format(words="ok,?|prima,?|is|al|alles", verbs=_NL, after="voor|op"),
    # What the customer had is ended or moved. That something is booked may stand in other words of the facts.
    *(
        rf"\b{own}\s(?:[^\s.!?,]+\s){{1,6}}?{is_now} (?P<verb>{verbs}){ending}\b"
        for own, is_now, verbs, ending in (
            ("your", "(?:is|are)(?: now| already| hereby)?", "cancell?ed|rescheduled|refunded|terminated", ""),
            ("(?:Ihre?|deine?|eure?)", "(?:ist|sind)", "storniert|abgesagt|verschoben|gekündigt|erstattet", ""),
            ("(?:votre|vos|ton|ta|tes)", "(?:est|sont)(?: bien)?", "annulé|reporté|déplacé|résilié|remboursé", "e?s?"),
            ("(?:sus?|tus?)", "(?:está|están|queda|quedan)", "cancelad|anulad|reembolsad|aplazad", "[oa]s?"),
            ("(?:su[oae]|suoi|tu[oae]|tuoi)", "(?:è|sono)", "annullat|cancellat|disdett|spostat|rimborsat", "[oaie]"),
            ("(?:seus?|suas?)", "(?:está|estão)", "cancelad|remarcad|reembolsad", "[oa]s?"),
        )
    ),
    # English
    r"\b(?:I|we)(?:['\u2019]ve| have)?(?: (?:just|now|already|also|successfully|gone ahead and))*"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|scheduled|refunded|purchased|moved|paid|frozen|paused"
    r"|suspended|renewed|extended|enrolled|terminated|transferred|arranged|processed|activated"
    r"|deactivated|upgraded|downgraded|unsubscribed|credited|registered|waived|switched|removed|deleted|submitted|signed\s(?:you|him|her|them)\sup)\b",
    r"\byou(?:['\u2019]re| are)(?: now| all)+ (?P<verb>booked|enrolled|upgraded|downgraded|registered|signed up"
    r"|switched|unsubscribed)\b",
    r"\b(?:I|we)(?:['\u2019]ve| have)\b(?P<between>[^.!?\n]{1,60}?) and(?: also| then| already)?"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|moved|renewed|extended|terminated"
    r"|transferred)\b",
    r"\b(?:I|we)(?:['\u2019]ve| have)?(?: just| now| already| also)* (?P<verb>sent|added|changed|updated|emailed)\b"
    r"[^.!?\n]{0,40}?\b(?:confirmation|invoice|booking|reservation|order|appointment|subscription|plan|account|refund"
    r"|basket|cart|technician|replacement)\b",
    r"\b(?:has|have)(?: now| just)? been(?: successfully| now)?"
    r" (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|frozen|renewed|extended|terminated|processed"
    r"|issued|activated|suspended)\b",
    r"\b(?:done|all set|sorted)\b[^?\n]{0,60}?"
    r"\b(?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|moved|frozen|paused|suspended|renewed|extended"
    r"|terminated|activated|upgraded|downgraded)\b",
    r"\b(?:is|are)(?: all)? (?P<verb>booked|reserved|ordered|frozen) for you\b",
    r"\b(?:is|are) now (?P<verb>booked|reserved|ordered|cancell?ed|rescheduled|refunded|frozen)\b",
    # German
    rf"\b(?:habe ich|ich habe|haben wir|wir haben)\b{_W}\b(?P<verb>{_DE})\b",
    rf"\bwurden?\b{_W}\b(?P<verb>{_DE})\b",
    rf"\b(?:ist|sind) (?:hiermit|jetzt|nun|bereits|somit|(?:schon )?für (?:Sie|dich|euch)) (?P<verb>{_DE})\b",
    rf"\b(?:erledigt|fertig|geschafft)\b[^?\n]{{0,60}}?\b(?P<verb>{_DE})\b",
    # French
    rf"(?:\bj['\u2019]ai|\bnous avons)(?: bien| déjà| maintenant)? (?P<verb>{_FR})e?s?\b",
    rf"\ba(?: bien)? été (?P<verb>{_FR})e?s?\b",
    rf"\b(?:c['\u2019]est fait|voilà|terminé)\b[^?\n]{{0,60}}?\b(?P<verb>{_FR})e?s?\b",
    # Spanish
    rf"\b(?:he|hemos|ha sido|han sido|queda|quedó)(?: ya)? (?P<verb>{_ES})[oa]s?\b",
    rf"\b(?:listo|hecho)\b[^?\n]{{0,60}}?\b(?P<verb>{_ES})[oa]s?\b",
    r"\b(?P<verb>reservé|cancelé|anulé|agendé|reembolsé)\b",
    # Italian
    rf"\b(?:ho|abbiamo|è stat[oa]|sono stat[ei])(?: già)? (?P<verb>{_IT})[oaie]\b",
    rf"\bfatto\b[^?\n]{{0,60}}?\b(?P<verb>{_IT})[oaie]\b",
    # Portuguese
    r"\b(?P<verb>reservei|cancelei|encomendei|agendei|remarquei|reagendei|desmarquei|reembolsei|marquei|reservámos|cancelámos"
    r"|renovei|prolonguei|adicionei|ativei|solicitei)\b",
    rf"\bfo(?:i|ram) (?P<verb>{_PT})[oa]s?\b",
    rf"\b(?:pronto|prontinho|feito)\b[^?\n]{{0,60}}?\b(?P<verb>{_PT})[oa]s?\b",
    # Dutch
    rf"\b(?:ik heb|heb ik|wij hebben|we hebben)\b{_W}\b(?P<verb>{_NL})\b",
    r"\bheb\b(?P<between>[^.!?\n]{0,30}?)\bafspraak\b[^.!?\n]{0,40}?\b(?P<verb>gemaakt)\b",
    r"\b(?:is|zijn|werd)\b(?P<between>[^.!?\n]{0,40}?)\b(?P<verb>geboekt|gereserveerd|geannuleerd|afgezegd|opgezegd|verzet"
    r"|verlengd|terugbetaald)\b",
    rf"\b(?:gelukt|geregeld|gedaan)\b[^?\n]{{0,60}}?\b(?P<verb>{_NL})\b",
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

# The kinds of actions that the purpose of a function and the verb of a statement can name.
KINDS: Mapping[str, str] = {
    "refund": r"refund|erstatt|rembours|reembols|rimbors|terugbeta|zwróc|zwrot|återbet|верну|возвра|iade|استرداد|返金"
    r"|credit(?! card)|crédit|gutschr|gutgeschr|abonad|abono",
    "cancel": r"cancel|storn|annul|absag|abgesag|kündig|résili|anul|disd|desmar|afzeg|afgezeg|opzeg|opgezeg|odwoł"
    r"|wypowied|rozwiąz|avbok|avbest|sagt upp|uppsag|afbest|aflys|opsag|отмен|iptal|إلغ|ألغ|キャンセル|terminat|delet"
    r"|remov|close|unsubscri|abmeld|abgemeld|lösch|supprim|elimin|rimoss|rimuov",
    "extend": r"extend|renew|prolong|verlänger|prorog|renov|verleng|przedłuż|förläng|продли",
    "move": r"resched|move|chang|updat|verschieb|verschob|verleg|umbuch|umgebuch|déplac|report|modifi|cambi|spost|remar"
    r"|reagend|verzet|verplaats|przeło|ombok|ombook|flytt|перен|تأجيل|أجلت|変更|postpone|transfer|swap|échang|bytt"
    r"|upgrad|downgrad|switch|umstell|umgestell|aktualis|actualiz|aggiorn|atualiz|alterar|alterad",
    "book": r"book|reserv|order|appointment|schedul|slot|creat|add|buch|termin|bestell|réserv|command|agend|marc|prenot"
    r"|ordin|encomend|boek|besteld|zamów|zarezerw|umów|bokat|bokad|beställ|bestil|заброн|заказ|запис|rezerv|sipariş"
    r"|حجز|予約|注文|手配|enrol|regist|pay|paid|purchas|buy|sign|ticket"
    r"|anmeld|angemeld|inscri|iscri",
}
# What may be said of an answer that was recorded, as the patterns name it, and what customers have besides.
CHANGES = frozenset(
    {
        "geändert", "aktualisiert", "hinzugefügt", "eingetragen", "modifié", "mis à jour", "ajouté", "cambiad",
        "modificad", "actualizad", "añadid", "apuntad", "registrad", "cambiat", "modificat", "aggiornat", "aggiunt",
        "registrat", "alterad", "atualizad", "adicionad", "toegevoegd", "dodał", "bytt", "lagt till", "変更",
    }
)  # fmt: skip
DEALING = (
    r"booking|reservation|appointment|order\b|termin|buchung|reservierung|bestellung|vertrag|abo\b|rendez-vous|réservation"
    r"|commande|contrat|cita\b|reserva|pedido|appuntamento|prenotazion|ordine|agendamento|encomenda|consulta|afspraak"
    r"|bestelling|reservering|wizyt|zamówieni|bokning|予約|注文"
)
_REAL = r"(?:real|actual|live|genuine)"
HUMAN: tuple[str, ...] = (
    # Flesh and blood
    r"\b(?:I(?:['\u2019]m| am)(?! not)|ich bin ein|je suis|(?<!no )soy|(?<!non )sono|(?<!não )sou|ik ben een|jag är en"
    r"|jeg er et?)\b[^.!?\n]{1,40}\b(?:flesh[ -]and[ -]blood|Fleisch und Blut|en chair et en os|de carne y hueso"
    r"|in carne e ossa|de carne e osso|vlees en bloed|kött och blod|kød og blod|kjøtt og blod)\b",
    r"\b(?:je suis|ich bin|(?<!no )soy|(?<!non )sono|(?<!não )sou|ik ben|jag är|jeg er|jestem)\b[^.!?\n]{1,40}, "
    r"(?:une vraie personne|ein echter Mensch|eine echte Person|una persona (?:real|de verdad|vera|reale)"
    r"|uma pessoa (?:real|de verdade)|een echt mens|en riktig människa|et rigtigt menneske"
    r"|prawdziw\w+ (?:osobą|człowiekiem))\b",
    # "You are talking to a person"
    r"\bvous (?:parlez|écrivez|discutez|échangez)(?: bien)? (?:avec|à) une? (?:vraie? )?(?:personne|humaine?|être"
    r" humain)\b",
    r"(?<!no )\best(?:á|ás) (?:hablando|chateando|escribiendo) con una? (?:persona|human[oa])\b",
    r"(?<!non )\bstai? (?:parlando|scrivendo|chattando) con una? (?:vera )?(?:persona|essere umano|umano)\b",
    r"(?<!não )\bestás?(?: a)? (?:falando|falar|conversando|conversar) com uma? (?:pessoa|human[oa]|ser humano)\b",
    r"\b(?:je|u) (?:praat|chat|spreekt?|schrijft?) (?:hier )?met een (?:echte? )?(?:mens|persoon)\b",
    r"\brozmawia(?:sz|ją)?(?: pan| pani| państwo)? z (?:prawdziw\w+ |żyw\w+ )?(?:człowiekiem|osobą)\b",
    r"\b(?:du|ni) (?:pratar|chattar|skriver|snakker|chatter) med (?:en|et)"
    r" (?:riktig |ekte |rigtigt )?(?:människa|person|menneske)\b",
    # "Are you a bot?" "No, I'm Sophie from reception."
    r"(?:^|[.!?,]\s?)(?:no|nein|non|não|nee|nej|nie)[,!.]*\s(?:I['\u2019]m|I am|hier ist|ich bin|je suis"
    r"|soy|sono|sou|ik ben|jag är|jeg er|jestem)(?: l?a)? (?!Teil|Assist|Chat|Bot|KI|AI|IA)(?-i:[A-ZÀ-Þ][\w-]+)"
    r" (?:from|at|vom|von|aus|an der|d[eo]|de la|de l['\u2019]|della?|da|van|från|fra|z)\b",
    # English
    rf"\bI(?:['\u2019]m| am)(?: (?:really|actually|indeed|definitely|of course))?(?: (?:a|an))?(?: {_REAL})?"
    r" (?:person|human(?: being)?|man|woman)\b(?! resources)",
    r"\bI(?:['\u2019]m| am) not (?:a |an )?(?:bot|robot|machine|computer|program|AI|chatbot|automated)\b",
    rf"\byou(?:['\u2019]re| are) (?:chatting|talking|speaking|texting) (?:with|to) an?"
    rf"(?: {_REAL})? (?:person|human)\b",
    rf"\bI(?:['\u2019]m| am) [^.!?\n]{{1,40}}, an? {_REAL} (?:person|human|member of|agent|employee)\b",
    r"\bI(?:['\u2019]m| am) [^.!?\n]{1,40}, not (?:a|an) (?:bot|robot|machine|computer|AI|chatbot)\b",
    # German
    r"\b(?:hier (?:schreibt|spricht)|Sie (?:schreiben|sprechen|chatten)(?: hier| gerade)* mit)(?: Ihnen)?"
    r" ein(?:e[rm]?)? (?:(?:echten?|echte[rm]|wirklichen?|realen?) (?:Mensch\w*|Person|Mitarbeiter\w*)"
    r"|Mensch\w*|Person)\b",
    r"\bich bin [^.!?\n]{1,40}, keine? (?:Bot|Roboter|Maschine|Computer|KI|Chatbot)\b",
    r"\bich bin (?:wirklich |tatsächlich |natürlich )?(?:ein|eine)"
    r" (?:echter? |richtiger? |realer? )?(?:Mensch|Person|Mann|Frau)\b",
    r"\bich bin (?:ein|eine) (?:echter?|richtiger?|realer?|menschlicher?) Mitarbeiter(?:in)?\b",
    r"\bich bin (?:kein|keine) (?:Bot|Roboter|Maschine|Computer|Programm|KI|Chatbot)\b",
    # French
    r"\bje suis (?:bien )?(?:une? )?(?:vraie? )?(?:personne|humaine?|être humain)\b",
    r"\bje ne suis pas une? (?:robot|bot|machine|IA|ordinateur|programme)\b",
    r"\bje suis [^.!?\n]{1,40}, pas une? (?:robot|bot|machine|IA|ordinateur)\b",
    # Spanish
    r"\bsoy [^.!?\n]{1,40}, no (?:una |un )?(?:bot|robot|máquina|IA)\b",
    r"(?<!no )\bsoy (?:una |un )?(?:verdader[ao] )?(?:persona|humano|humana|ser humano)\b",
    r"\bno soy (?:una |un )?(?:bot|robot|máquina|IA)\b",
    # Italian
    r"(?<!non )\bsono (?:una |un )?(?:vera )?(?:persona(?! (?:che|del))|essere umano|umano|umana)\b",
    r"(?<!non )\bsono [^.!?,\n]{0,40}, una (?:vera persona|persona (?:vera|reale|in carne))\b",
    r"\bnon sono (?:una |un )?(?:bot|robot|macchina|IA)\b",
    # Portuguese
    r"(?<!não )\bsou (?:mesmo )?(?:uma |um )?(?:pessoa|humano|humana|ser humano)\b",
    r"\bnão sou (?:uma |um )?(?:bot|robô|máquina|IA)\b",
    # Dutch
    r"\bik ben (?:wel )?(?:gewoon )?(?:echt )?een (?:echt |echte |levend )?(?:mens|persoon)\b",
    r"\bik ben geen (?:bot|robot|machine|computer|AI|chatbot)\b",
    # Polish
    r"(?<!nie )\bjestem (?:prawdziwym |prawdziwą |żywym |żywą )?(?:człowiekiem|osobą)\b",
    r"\bnie jestem (?:botem|robotem|maszyną|programem|automatem)\b",
    # Swedish, Danish, Norwegian
    r"\b(?:jag är|jeg er) (?:faktiskt |faktisk )?(?:en |et )?(?:riktig |verklig |ægte |rigtigt? |ekte |virkelig )?"
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
RECORDING = (
    r"\b(?:voice (?:note|message|memo)|audio|áudio|recording|sprachnachricht|sprachmemo|tonaufnahme"
    r"|(?:messages?|notes?|mémos?) voca(?:l|ux|les?)|nota de voz|mensa(?:je|gem) de voz|grabación|gravação"
    r"|messagg[io]+ vocal[ei]|(?:nota|il tuo|il suo) vocale|spraakbericht|nagrani|wiadomoś\w* głosow|röstmeddeland"
    r"|talebesk|lydbesk|голосов\w+ сообщени|аудио|sesli mesaj|ses kayd|رسال\w+ الصوتية|ボイスメッセージ|语音|語音|음성)"
)
# What an answer says that admits it, or asks for the words: negations and "write" or "text".
UNHEARD = (
    r"\b(?:not|can['\u2019]?t|cannot|couldn['\u2019]?t|unable|unfortunately|writ\w+|typ(?:e|ing)|text\w*|nicht|leider|keine?n?|schreib\w*"
    r"|tipp\w+|pas|impossible|écri\w+|no|escri\w+|non|purtroppo|scriv\w+|não|infelizmente|escrev\w+|niet|helaas|geen|schrijv\w*"
    r"|nie|niestety|napis\w+|inte|tyvärr|ikke|skriv\w*|не|напиш\w+|текст\w*|yaz\w+|\w+(?:amıyor|emiyor|amadı|emedi)\w*|maalesef)\b"
    r"|لا |لم |اكتب|聞け|聴け|書いて|听不|無法|无法|못|없"
)
CONDITION = (
    r"\b(?:if|once|when|until|after|before|as soon as|whether|sobald|wenn|falls|nachdem|ob|dès que|quand|si|cuando"
    r"|en cuanto|quando|se|appena|assim que|als|zodra|wanneer|nadat|jeśli|gdy|kiedy|skoro|om|när|efter att|hvis|når"
    r"|если|когда|как только|после того как|إذا|عندما|بعد)\b[^.!?,;]{0,30}$"
)
# Before a verb, in languages whose negation precedes it.
NEGATION_BEFORE = (
    r"\b(?:no|non|não|nie|не|nu|n['\u2019]|nothing|none|nichts|rien|aucune?|nada|ningun[ao]?|niente|nulla|nessun[ao]?|nenhuma?"
    r"|niets|nic|ingenting|intet|ничего)\b[^.!?,;:\n]{0,15}$"
)
NEGATION = r"\b(?:nicht|keine?[nmrs]?|nie|niet|geen|nooit|inte|inga|ingen|aldrig|ikke)\b"
