"""Words with which mail clients introduce quoted mail. They add to the evidence of structure."""

from __future__ import annotations

import re
from typing import Final

# "wrote", in the forms of attribution lines.
WROTE: Final = re.compile(
    r"\b(?:wrote|writes|said|schrieb\w*|écrit|escribi[óo]|escribe|escreveu|escriure|escrigué|scri(?:tto|sse|ve)|schreef"
    r"|geschreven|skrev|skrifaði|kirjoitti|kirjutas|napisał\w*|pisze|napisala?|napsala?|napísala?|написал[аи]?|пишет|писав|написав|пише"
    r"|написа|írta|a scris|scris|έγραψε|yazdı|yazmış|geschryf|rašė|parašė|rakstīja|kirjutas|je napisa[ol]\w*|ha escrit|idatzi (?:du|zuen)|viết|menulis|tulis"
    r"|nag-?wrote|sumulat|aliandika)\b"
    r"|写道|寫道|写到|寫到|のメール|書きました|作成|작성|썼습니다|쓴 글|เขียน|כתב|كتب|نوشت|लिखा",
    re.IGNORECASE,
)
# Labels of the author and of the date in a header block.
AUTHOR_AND_DATE: Final = frozenset({
    "from", "sent", "date", "von", "gesendet", "datum", "de", "envoyé", "enviado", "fecha", "data", "da", "inviato",
    "van", "verzonden", "från", "skickat", "fra", "sendt", "dato", "lähettäjä", "lähetetty", "päivämäärä", "od",
    "wysłano", "odesláno", "odoslané", "dátum", "от", "отправлено", "дата", "від", "надіслано", "feladó", "elküldve",
    "küldve", "de la", "trimis", "από", "στάλθηκε", "ημερομηνία", "kimden", "gönderilme", "gönderen", "gönderildi", "보낸 날짜", "תאריך", "נשלח", "تم الإرسال", "التاريخ", "ngày", "tanggal", "วันที่", "tarih", "发件人",
    "发送时间", "發件人", "寄件者", "寄件人", "差出人", "送信日時", "보낸 사람", "보낸사람", "날짜", "จาก", "từ", "dari", "מאת",
    "من", "از", "saatja", "nuo", "no", "poslano", "pošiljatelj", "šalje", "प्रेषक", "d'", "expéditeur", "mittente", "remitente",
})  # fmt: skip
# Labels of the subject in a header block.
SUBJECT: Final = frozenset({
    "subject", "betreff", "objet", "sujet", "asunto", "assumpte", "assunto", "oggetto", "onderwerp", "ämne", "emne", "aihe", "temat", "předmět", "predmet", "zadeva", "naslov",
    "тема", "предмет", "относно", "tárgy", "subiect", "θέμα", "konu", "主题", "主旨", "件名", "제목", "เรื่อง", "ชื่อเรื่อง", "chủ đề", "tiêu đề", "perihal", "subjek", "judul", "נושא", "الموضوع", "موضوع", "विषय",
    "teema", "tēma", "tema", "efni", "paksa", "onderwerp van bericht", "gaia", "mada",
})  # fmt: skip
# Marks of a forward, after dashes or "begin".
FORWARDED: Final = re.compile(
    r"forward|weitergeleit|reenviad|transféré|inoltrat|encaminhad|doorgestuurd|vidarebeford|videresen?dt|edelleenlähet"
    r"|välitetty|przekazan|přepos|preposlan|пересл|переслан|препрат|továbbít|redirecțion|redirectionat|προωθ|iletilen|转发"
    r"|轉寄|转寄|転送|전달|ส่งต่อ|chuyển tiếp|diteruskan|הועבר|محو[ّ]?لة|معاد توجيه|فوروارد|reenviat|áfram|edasi",
    re.IGNORECASE,
)
# The words of a separator above the mail that is answered.
ORIGINAL: Final = re.compile(
    r"original (?:message|e-?mail|appointment)|ursprüngliche nachricht|original-?nachricht|message d'origine|message original|mensaje original|missatge original|messaggio originale"
    r"|mensagem original|oorspronkelijk bericht|ursprungligt meddelande|oprindelig (?:meddelelse|besked)|opprinnelig melding|alkuperäinen viesti|oryginalna wiadomość|wiadomość oryginalna"
    r"|původní zpráva|pôvodná správa|izvorna poruka|izvirno sporočilo|исходное сообщение|оригинальное сообщение|вихідне повідомлення|eredeti üzenet|mesajul? original|αρχικό μήνυμα"
    r"|özgün ileti|orijinal (?:ileti|mesaj)|pesan asli|thư gốc|原始(?:邮件|郵件|訊息)|原邮件|元のメッセージ|원본 메시지|הודעה מקורית|الرسالة الأصلية|ข้อความต้นฉบับ",
    re.IGNORECASE,
)
