"""
Words of mail clients in 24 languages.

Each language has an answer and a question, the attribution lines of Gmail and of Apple Mail (`{name}` and `{mail}` are
the author), the four labels of Outlook's header block with a date, the words of its separator, and the footers of an
iPhone and of Outlook for iOS.
"""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """The words of one language."""

    code: str
    answer: str
    question: str
    gmail: str
    apple: str
    labels: tuple[str, str, str, str]
    date: str
    original: str
    iphone: str
    outlook: str


LANGUAGES = (
    Language("en", "Yes, Tuesday suits me.", "Shall we deliver on Tuesday?",
             "On Mon, Nov 2, 2026 at 3:40 PM {name} <{mail}> wrote:", "On 2 Nov 2026, at 15:40, {name} <{mail}> wrote:",
             ("From", "Sent", "To", "Subject"), "Monday, November 2, 2026 3:40 PM", "Original Message",
             "Sent from my iPhone", "Get Outlook for iOS"),
    Language("de", "Ja, Dienstag passt mir.", "Sollen wir am Dienstag liefern?",
             "Am Mo., 2. Nov. 2026 um 15:40 Uhr schrieb {name} <{mail}>:", "Am 02.11.2026 um 15:40 schrieb {name} <{mail}>:",
             ("Von", "Gesendet", "An", "Betreff"), "Montag, 2. November 2026 15:40", "Ursprüngliche Nachricht",
             "Von meinem iPhone gesendet", "Outlook für iOS beziehen"),
    Language("fr", "Oui, mardi me convient.", "Pouvons-nous livrer mardi ?",
             "Le lun. 2 nov. 2026 à 15:40, {name} <{mail}> a écrit :", "Le 2 nov. 2026 à 15:40, {name} <{mail}> a écrit :",
             ("De", "Envoyé", "À", "Objet"), "lundi 2 novembre 2026 15:40", "Message d'origine",
             "Envoyé de mon iPhone", "Télécharger Outlook pour iOS"),
    Language("es", "Sí, el martes me viene bien.", "¿Entregamos el martes?",
             "El lun, 2 nov 2026 a las 15:40, {name} (<{mail}>) escribió:", "El 2 nov 2026, a las 15:40, {name} <{mail}> escribió:",
             ("De", "Enviado", "Para", "Asunto"), "lunes, 2 de noviembre de 2026 15:40", "Mensaje original",
             "Enviado desde mi iPhone", "Obtener Outlook para iOS"),
    Language("pt", "Sim, terça-feira serve.", "Entregamos na terça-feira?",
             "Em seg., 2 de nov. de 2026 às 15:40, {name} <{mail}> escreveu:", "No dia 02/11/2026, às 15:40, {name} <{mail}> escreveu:",
             ("De", "Enviado", "Para", "Assunto"), "segunda-feira, 2 de novembro de 2026 15:40", "Mensagem original",
             "Enviado do meu iPhone", "Obter o Outlook para iOS"),
    Language("it", "Sì, martedì va bene.", "Consegniamo martedì?",
             "Il giorno lun 2 nov 2026 alle ore 15:40 {name} <{mail}> ha scritto:", "Il giorno 2 nov 2026, alle ore 15:40, {name} <{mail}> ha scritto:",
             ("Da", "Inviato", "A", "Oggetto"), "lunedì 2 novembre 2026 15:40", "Messaggio originale",
             "Inviato da iPhone", "Ottieni Outlook per iOS"),
    Language("nl", "Ja, dinsdag is goed.", "Zullen we dinsdag leveren?",
             "Op ma 2 nov 2026 om 15:40 schreef {name} <{mail}>:", "Op 2 nov. 2026 om 15:40 heeft {name} <{mail}> het volgende geschreven:",
             ("Van", "Verzonden", "Aan", "Onderwerp"), "maandag 2 november 2026 15:40", "Oorspronkelijk bericht",
             "Verstuurd vanaf mijn iPhone", "Outlook voor iOS downloaden"),
    Language("sv", "Ja, tisdag passar.", "Ska vi leverera på tisdag?",
             "Den mån 2 nov. 2026 kl 15:40 skrev {name} <{mail}>:", "2 nov. 2026 kl. 15:40 skrev {name} <{mail}>:",
             ("Från", "Skickat", "Till", "Ämne"), "den 2 november 2026 15:40", "Ursprungligt meddelande",
             "Skickat från min iPhone", "Hämta Outlook för iOS"),
    Language("da", "Ja, tirsdag er fint.", "Skal vi levere tirsdag?",
             "Den man. 2. nov. 2026 kl. 15.40 skrev {name} <{mail}>:", "Den 2. nov. 2026 kl. 15.40 skrev {name} <{mail}>:",
             ("Fra", "Sendt", "Til", "Emne"), "2. november 2026 15:40", "Oprindelig meddelelse",
             "Sendt fra min iPhone", "Hent Outlook til iOS"),
    Language("no", "Ja, tirsdag passer.", "Skal vi levere på tirsdag?",
             "man. 2. nov. 2026 kl. 15:40 skrev {name} <{mail}>:", "2. nov. 2026 kl. 15:40 skrev {name} <{mail}>:",
             ("Fra", "Sendt", "Til", "Emne"), "mandag 2. november 2026 15:40", "Opprinnelig melding",
             "Sendt fra min iPhone", "Få Outlook for iOS"),
    Language("fi", "Kyllä, tiistai sopii.", "Toimitammeko tiistaina?",
             "ma 2. marrask. 2026 klo 15.40 {name} ({mail}) kirjoitti:", "{name} <{mail}> kirjoitti 2.11.2026 kello 15.40:",
             ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"), "maanantai 2. marraskuuta 2026 15.40", "Alkuperäinen viesti",
             "Lähetetty iPhonesta", "Hanki Outlook for iOS"),
    Language("pl", "Tak, wtorek mi pasuje.", "Czy dostarczyć we wtorek?",
             "pon., 2 lis 2026 o 15:40 {name} <{mail}> napisał(a):", "Wiadomość napisana przez {name} <{mail}> w dniu 2 lis 2026, o godz. 15:40:",
             ("Od", "Wysłano", "Do", "Temat"), "poniedziałek, 2 listopada 2026 15:40", "Wiadomość oryginalna",
             "Wysłane z iPhone'a", "Pobierz aplikację Outlook dla systemu iOS"),
    Language("cs", "Ano, úterý mi vyhovuje.", "Máme doručit v úterý?",
             "po 2. 11. 2026 v 15:40 odesílatel {name} <{mail}> napsal:", "2. 11. 2026 v 15:40, {name} <{mail}>:",
             ("Od", "Odesláno", "Komu", "Předmět"), "pondělí 2. listopadu 2026 15:40", "Původní zpráva",
             "Odesláno z iPhonu", "Získat Outlook pro iOS"),
    Language("hu", "Igen, a kedd megfelel.", "Szállíthatunk kedden?",
             "{name} <{mail}> ezt írta (időpont: 2026. nov. 2., H, 15:40):", "2026. nov. 2. dátummal, 15:40 időpontban {name} <{mail}> írta:",
             ("Feladó", "Elküldve", "Címzett", "Tárgy"), "2026. november 2., hétfő 15:40", "Eredeti üzenet",
             "Az iPhone-omról küldve", "Az Outlook iOS-hez küldve"),
    Language("ro", "Da, marți este bine.", "Livrăm marți?",
             "În lun., 2 nov. 2026 la 15:40, {name} <{mail}> a scris:", "Pe 2 nov. 2026, la 15:40, {name} <{mail}> a scris:",
             ("De la", "Trimis", "Către", "Subiect"), "luni, 2 noiembrie 2026 15:40", "Mesaj original",
             "Trimis de pe iPhone-ul meu", "Obțineți Outlook pentru iOS"),
    Language("tr", "Evet, salı uygun.", "Salı günü teslim edelim mi?",
             "{name} <{mail}>, 2 Kas 2026 Pzt, 15:40 tarihinde şunu yazdı:", "{name} <{mail}> şunları yazdı (2 Kas 2026 15:40):",
             ("Kimden", "Gönderildi", "Kime", "Konu"), "2 Kasım 2026 Pazartesi 15:40", "Özgün İleti",
             "iPhone'umdan gönderildi", "iOS için Outlook'u edinin"),
    Language("ru", "Да, вторник подходит.", "Доставить во вторник?",
             "пн, 2 нояб. 2026 г. в 15:40, {name} <{mail}>:", "2 нояб. 2026 г., в 15:40, {name} <{mail}> написал(а):",
             ("От", "Отправлено", "Кому", "Тема"), "2 ноября 2026 г. 15:40", "Исходное сообщение",
             "Отправлено с iPhone", "Отправлено из Outlook для iOS"),
    Language("uk", "Так, вівторок підходить.", "Доставити у вівторок?",
             "пн, 2 лист. 2026 р. о 15:40 {name} <{mail}> пише:", "2 лист. 2026 р. о 15:40 {name} <{mail}> написав(ла):",
             ("Від", "Надіслано", "Кому", "Тема"), "2 листопада 2026 р. 15:40", "Оригінальне повідомлення",
             "Надіслано з iPhone", "Надіслано з Outlook для iOS"),
    Language("el", "Ναι, η Τρίτη με βολεύει.", "Να παραδώσουμε την Τρίτη;",
             "Στις Δευ 2 Νοε 2026 στις 3:40 μ.μ., ο/η {name} <{mail}> έγραψε:", "2 Νοε 2026, 15:40, ο χρήστης «{name} <{mail}>» έγραψε:",
             ("Από", "Στάλθηκε", "Προς", "Θέμα"), "Δευτέρα, 2 Νοεμβρίου 2026 15:40", "Αρχικό μήνυμα",
             "Στάλθηκε από το iPhone μου", "Λήψη του Outlook για iOS"),
    Language("ja", "はい、火曜日で大丈夫です。", "火曜日に配達してもよろしいですか。",
             "2026年11月2日(月) 15:40 {name} <{mail}>:", "2026/11/02 15:40、{name} <{mail}>のメール:",
             ("差出人", "送信日時", "宛先", "件名"), "2026年11月2日 15:40", "元のメッセージ",
             "iPhoneから送信", "Outlook for iOS を入手"),
    Language("ko", "네, 화요일 좋습니다.", "화요일에 배송할까요?",
             "2026년 11월 2일 (월) 오후 3:40, {name} <{mail}>님이 작성:", "2026. 11. 2. 오후 3:40, {name} <{mail}> 작성:",
             ("보낸 사람", "보낸 날짜", "받는 사람", "제목"), "2026년 11월 2일 월요일 오후 3:40", "원본 메시지",
             "나의 iPhone에서 보냄", "iOS용 Outlook에서 보냄"),
    Language("zh", "可以，星期二没问题。", "星期二送货可以吗？",
             "{name} <{mail}> 于2026年11月2日周一 15:40写道：", "2026年11月2日 15:40，{name} <{mail}> 写道：",
             ("发件人", "发送时间", "收件人", "主题"), "2026年11月2日 15:40", "原始邮件",
             "发自我的 iPhone", "获取 Outlook for iOS"),
    Language("he", "כן, יום שלישי מתאים.", "לשלוח ביום שלישי?",
             "\u200fבתאריך יום ב׳, 2 בנוב׳ 2026 ב-15:40 מאת {name} <\u202a{mail}\u202c>:", "ב-2 בנוב׳ 2026, בשעה 15:40, {name} <{mail}> כתב/ה:",
             ("מאת", "נשלח", "אל", "נושא"), "יום שני 02 נובמבר 2026 15:40", "הודעה מקורית",
             "נשלח מה-iPhone שלי", "השג את Outlook עבור iOS"),
    Language("ar", "نعم، يوم الثلاثاء مناسب.", "هل نسلم يوم الثلاثاء؟",
             "في الاثنين، 2 نوفمبر 2026 في 3:40 م تمت كتابة ما يلي بواسطة {name} <{mail}>:", "في ٢ نوفمبر ٢٠٢٦، الساعة ١٥:٤٠، كتب {name} <{mail}>:",
             ("من", "تم الإرسال", "إلى", "الموضوع"), "2 نوفمبر 2026 15:40", "الرسالة الأصلية",
             "أُرسلت من الـ iPhone", "الحصول على Outlook لـ iOS"),
)  # fmt: skip
