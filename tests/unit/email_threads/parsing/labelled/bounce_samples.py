"""Reports of mail servers in the formats and languages that exist, and ordinary mails with their words."""

from __future__ import annotations

from dataclasses import dataclass

ID = "out-7@eu-central-1.amazonses.com"
ORIGINAL = (
    f"Message-ID: <{ID}>\nFrom: support@shop.example\nTo: ann@gone.example\nSubject: Your order"
)
HARD, SOFT, BLOCKED, FULL = "hard", "soft", "blocked", "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report and its class; *raw* is the mail."""

    name: str
    bounce_class: str
    raw: bytes


def _plain(name: str, found: str, sender: str, subject: str, text: str, **fields: str) -> Report:
    """A report in one text. The mail that it returns is at its end, unless the text names its id."""
    head = {"Message-ID": "<r@mx.example>", "From": sender, "Subject": subject, **fields}
    lines = [f"{key.replace('_', '-')}: {value}" for key, value in head.items() if value]
    body = text if ID in text else f"{text}\n\n{ORIGINAL}"
    charset = "Content-Type: text/plain; charset=utf-8"
    return Report(
        name=name, bounce_class=found, raw="\n".join([*lines, charset, "", body]).encode()
    )


def _report(
    name: str,
    found: str,
    sender: str,
    subject: str,
    text: str,
    *groups: str,
    mta: str = "mx.x.example",
    is_global: bool = False,
    is_declared: bool = True,
    original: str = ORIGINAL,
    more: str = "",
) -> Report:
    """A report with a delivery status part and the returned headers."""
    status = "message/global-delivery-status" if is_global else "message/delivery-status"
    headers = "message/global-headers" if is_global else "text/rfc822-headers"
    declared = "report; report-type=delivery-status" if is_declared else "mixed"
    raw = (
        f"{more}From: {sender}\nMessage-ID: <r@mx.example>\nSubject: {subject}\n"
        f"Content-Type: multipart/{declared}; boundary=b\n\n"
        f"--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
        f"--b\nContent-Type: {status}\n\nReporting-MTA: dns; {mta}\n\n" + "\n\n".join(groups) + "\n"
        f"--b\nContent-Type: {headers}\n\n{original}\n--b--\n"
    )
    return Report(name=name, bounce_class=found, raw=raw.encode())


def _failed(status: str, diagnostic: str = "", to: str = "rfc822; ann@gone.example") -> str:
    said = f"\nDiagnostic-Code: {diagnostic}" if diagnostic else ""
    return f"Final-Recipient: {to}\nAction: failed\nStatus: {status}{said}"


POSTFIX = "MAILER-DAEMON@mx.x.example (Mail Delivery System)"
EXIM = "Mail Delivery System <Mailer-Daemon@mx.x.example>"
EXCHANGE = "Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@firma.example>"
QMAIL = "MAILER-DAEMON@mx.x.example"
DOMINO = "postmaster@domino.x.example"
_UNKNOWN = "smtp; 550 5.1.1 <ann@gone.example>: Recipient address rejected: User unknown"

POSTFIX_REPORTS = [
    _report("postfix en", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "I'm sorry to have to inform you that your message could not be delivered.", _failed("5.1.1", _UNKNOWN)),
    _report("postfix de", HARD, POSTFIX, "Unzustellbare Nachricht an Absender zurückgesendet", "Ihre Nachricht konnte an einen oder mehrere Empfänger nicht zugestellt werden.", _failed("5.1.1", _UNKNOWN)),
    _report("postfix fr", HARD, POSTFIX, "Message non remis, retourné à l'expéditeur", "Votre message n'a pas pu être remis.", _failed("5.1.1", _UNKNOWN)),
    _report("postfix es", FULL, POSTFIX, "Correo no entregado devuelto al remitente", "Su mensaje no se pudo entregar.", _failed("5.2.2", "smtp; 552 5.2.2 Buzón lleno")),
    _report("postfix it", FULL, POSTFIX, "Posta non recapitata restituita al mittente", "Il messaggio non può essere recapitato.", _failed("5.2.2", "smtp; 552 5.2.2 Mailbox full")),
    _report("postfix nl", BLOCKED, POSTFIX, "Onbestelbare mail teruggestuurd", "Uw bericht kon niet worden bezorgd.", _failed("5.7.1", "smtp; 554 5.7.1 Service unavailable; Client host blocked using zen.spamhaus.org")),
    _report("postfix delayed", SOFT, POSTFIX, "Delayed Mail (still being retried)", "THIS IS A WARNING ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.", "Final-Recipient: rfc822; ann@gone.example\nAction: delayed\nStatus: 4.4.1\nDiagnostic-Code: X-Postfix; connect to gone.example[192.0.2.1]:25: Connection timed out\nWill-Retry-Until: Thu, 5 Mar 2026 10:00:00 +0100"),
    _report("postfix host not found", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Host or domain name not found.", _failed("5.4.4", "X-Postfix; Host or domain name not found. Name service error for name=gone.example type=AAAA: Host not found")),
    _report("postfix no from", HARD, "", "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", _UNKNOWN)),
    _report("postfix no declared type", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", _UNKNOWN), is_declared=False),
    _report("postfix two recipients", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", "Final-Recipient: rfc822; bob@x.example\nAction: relayed\nStatus: 2.0.0", _failed("5.1.1", _UNKNOWN)),
    _plain("postfix text without parts", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "This is the mail system at host mx.x.example.\n\n<ann@gone.example>: host mx.gone.example[192.0.2.1] said: 550 5.1.1\n    <ann@gone.example>: Recipient address rejected (in reply to RCPT TO command)"),
]  # fmt: skip

QMAIL_TEXT = "Hi. This is the qmail-send program at mx.x.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ann@gone.example>:\n{said}\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <support@shop.example>\n" + ORIGINAL + "\n\nBuy now"  # fmt: skip
QMAIL_REPORTS = [
    _plain("qmail unknown", HARD, QMAIL, "failure notice", QMAIL_TEXT.format(said="192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 User unknown\nGiving up on 192.0.2.1."), Return_Path="<>"),
    _plain("qmail no mailbox", HARD, QMAIL, "failure notice", QMAIL_TEXT.format(said="Sorry, no mailbox here by that name. (#5.1.1)"), Return_Path="<>"),
    _plain("qmail host", HARD, QMAIL, "failure notice", QMAIL_TEXT.format(said="Sorry, I couldn't find any host named gone.example. (#5.1.2)"), Return_Path="<>"),
    _plain("qmail timeout", SOFT, QMAIL, "failure notice", QMAIL_TEXT.format(said="Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long."), Return_Path="<>"),
    _plain("qmail quota", FULL, QMAIL, "failure notice", QMAIL_TEXT.format(said="user is over quota (#5.2.2)"), Return_Path="<>"),
    _plain("qmail without envelope", HARD, QMAIL, "failure notice", QMAIL_TEXT.format(said="Sorry, no mailbox here by that name. (#5.1.1)")),
    _plain("qmail of a renamed daemon", HARD, "mailer@mx.x.example", "failure notice", QMAIL_TEXT.format(said="550 No such user"), Return_Path="<>"),
]  # fmt: skip

EXIM_TEXT = "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ann@gone.example\n    {said}\n\n------ This is a copy of the message, including all the headers. ------\n\nReturn-path: <support@shop.example>\n" + ORIGINAL  # fmt: skip
EXIM_REPORTS = [
    _plain("exim", HARD, EXIM, "Mail delivery failed: returning message to sender", EXIM_TEXT.format(said="host mx.gone.example [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<ann@gone.example>:\n    550 5.1.1 unknown recipient"), X_Failed_Recipients="ann@gone.example"),
    _plain("exim without field", HARD, EXIM, "Mail delivery failed: returning message to sender", EXIM_TEXT.format(said="Unrouteable address")),
    _plain("exim retry", SOFT, EXIM, "Mail delivery failed: returning message to sender", EXIM_TEXT.format(said="retry timeout exceeded")),
    _plain("exim quota", FULL, EXIM, "Mail delivery failed: returning message to sender", EXIM_TEXT.format(said="mailbox is full: retry timeout exceeded")),
    _plain("exim de (GMX)", HARD, "GMX Mailer Daemon <mailer-daemon@gmx.example>", "Mail delivery failed: returning message to sender", "This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to\none or more of its recipients. This is a permanent error.\n\nThe following address failed:\n\nann@gone.example:\nSMTP error from remote server for RCPT TO command, host: mx.gone.example (192.0.2.1) reason: 550 5.1.1 User unknown"),
    _plain("exim warning", SOFT, EXIM, "Warning: message 1abCDe-0001 delayed 24 hours", "This message was created automatically by mail delivery software.\nA message that you sent has not yet been delivered to one or more of its recipients after more than 24 hours on the queue.\n\nNo action is required on your part. Delivery attempts will continue for some time."),
    _plain("exim policy", BLOCKED, EXIM, "Mail delivery failed: returning message to sender", EXIM_TEXT.format(said="554 5.7.1 Message rejected due to content restrictions: spam")),
]  # fmt: skip


def _ndr_de(code: str, said: str) -> str:
    return (
        "Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen:\n\nann@gone.example\n"
        f"{said}\n\nDiagnoseinformationen für Administratoren:\n\nGenerierender Server: firma.example\n\n"
        f"ann@gone.example\nRemote Server returned '{code}'\n\nOriginalnachrichtenköpfe:\n"
    )


EXCHANGE_REPORTS = [
    _report("exchange de", HARD, EXCHANGE, "Unzustellbar: Your order", _ndr_de("550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", "Die eingegebene E-Mail-Adresse konnte nicht gefunden werden."), _failed("5.1.10", "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup")),
    _plain("exchange de text only", HARD, EXCHANGE, "Unzustellbar: Your order", _ndr_de("550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found", "Die eingegebene E-Mail-Adresse konnte nicht gefunden werden."), Return_Path="<>"),
    _plain("exchange de full", FULL, EXCHANGE, "Unzustellbar: Your order", _ndr_de("554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException", "Das Postfach des Empfängers ist voll."), Return_Path="<>"),
    _plain("exchange de delayed", SOFT, EXCHANGE, "Übermittlung verzögert: Your order", "Die Übermittlung an folgende Empfänger ist verzögert:\n\nann@gone.example\n\nDiese Nachricht wurde noch nicht übermittelt. Es wird weiterhin versucht, sie zu übermitteln.\n\n4.4.7 timeout", Return_Path="<>"),
    _report("exchange online en", HARD, "postmaster@firma.example", "Undeliverable: Your order", "Your message to ann@gone.example couldn't be delivered.\nann wasn't found at gone.example.", _failed("5.1.10", "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound")),
    _plain("exchange fr", HARD, EXCHANGE, "Non remis : Your order", "Échec de la remise à ces destinataires ou groupes :\n\nann@gone.example\nL'adresse de messagerie que vous avez entrée est introuvable.\n\nInformations de diagnostic pour les administrateurs :\n550 5.1.10 RESOLVER.ADR.RecipientNotFound", Return_Path="<>"),
    _plain("exchange es", HARD, EXCHANGE, "No se puede entregar: Your order", "No se pudo entregar el mensaje a estos destinatarios o grupos:\n\nann@gone.example\n\n550 5.1.1 RESOLVER.ADR.RecipNotFound; not found", Return_Path="<>"),
    _plain("exchange it", HARD, EXCHANGE, "Non recapitabile: Your order", "Impossibile recapitare il messaggio ai seguenti destinatari o gruppi:\n\nann@gone.example\n\n550 5.1.1 RESOLVER.ADR.RecipNotFound; not found", Return_Path="<>"),
    _plain("exchange nl", HARD, EXCHANGE, "Onbestelbaar: Your order", "Het bezorgen aan de volgende geadresseerden of groepen is mislukt:\n\nann@gone.example\n\n550 5.1.1 RESOLVER.ADR.RecipNotFound; not found", Return_Path="<>"),
    _plain("exchange pl", HARD, EXCHANGE, "Niedostarczona: Your order", "Dostarczenie do następujących adresatów lub grup nie powiodło się:\n\nann@gone.example\n\n550 5.1.1 RESOLVER.ADR.RecipNotFound; not found", Return_Path="<>"),
    _plain("exchange pt", BLOCKED, EXCHANGE, "Não é possível entregar: Your order", "Falha na entrega a estes destinatários ou grupos:\n\nann@gone.example\n\n550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required", Return_Path="<>"),
    _plain("exchange 2003 de", HARD, "System Administrator <postmaster@firma.example>", "Unzustellbar: Your order", "Ihre Nachricht hat einige oder alle Empfänger nicht erreicht.\n\nFolgende(r) Empfänger kann/können nicht erreicht werden:\n\n      ann@gone.example am 02.03.2026 10:00\n            Das E-Mail-Konto ist in der Organisation nicht vorhanden, an die diese Nachricht gesendet wurde.\n            <mx.firma.example #5.1.1>"),
]  # fmt: skip


def _domino(why: str) -> str:
    return f"Your message\n\n  Subject: Your order\n\nwas not delivered to:\n\n  ann@gone.example\n\nbecause:\n\n  {why}\n"


OTHER_REPORTS = [
    _plain("domino unknown", HARD, DOMINO, "DELIVERY FAILURE: User ann (ann@gone.example) not listed in Domino Directory", _domino("User ann (ann@gone.example) not listed in Domino Directory")),
    _plain("domino full", FULL, DOMINO, "DELIVERY FAILURE: Database is full", _domino("The recipient's mailbox is full: quota exceeded"), Return_Path="<>"),
    _plain("domino de", HARD, DOMINO, "ZUSTELLUNGSFEHLER: Benutzer ann nicht im Domino-Verzeichnis aufgeführt", "Ihr Dokument: Your order\nkonnte nicht zugestellt werden an: ann@gone.example\nweil: Benutzer ann nicht im Domino-Verzeichnis aufgeführt\n"),
    _report("domino report", HARD, DOMINO, "DELIVERY FAILURE: No such user", "was not delivered", _failed("5.1.1", "X-Notes; No such user")),
    _plain("sendmail", HARD, "Mail Delivery Subsystem <MAILER-DAEMON@mx.x.example>", "Returned mail: see transcript for details", "The original message was received at Mon, 2 Mar 2026 10:00:00 +0100\n\n   ----- The following addresses had permanent fatal errors -----\n<ann@gone.example>\n    (reason: 550 5.1.1 User unknown)\n\n   ----- Transcript of session follows -----\n... while talking to mx.gone.example.:\n>>> DATA\n<<< 550 5.1.1 User unknown"),
    _plain("sendmail warning", SOFT, "Mail Delivery Subsystem <MAILER-DAEMON@mx.x.example>", "Warning: could not send message for past 4 hours", "    **********************************************\n    **      THIS IS A WARNING MESSAGE ONLY      **\n\nDeferred: Connection timed out with mx.gone.example."),
    _plain("groupwise", HARD, "Mailer-Daemon@gw.x.example", "Message status - undeliverable", "The message that you sent was undeliverable to the following:\n\tann@gone.example (user not found)"),
    _plain("courier", HARD, '"Courier mail server at mx.x.example" <postmaster@mx.x.example>', "NOTICE: mail delivery status.", "This is a delivery status notification from mx.x.example,\nrunning the Courier mail server.\n\n<ann@gone.example>:\n     mx.gone.example [192.0.2.1]:\n >>> RCPT TO:<ann@gone.example>\n <<< 550 5.1.1 User unknown", Return_Path="<>"),
    _plain("kerio", HARD, "Kerio Connect <mailer-daemon@x.example>", "Undeliverable Mail", "Your message could not be delivered to: ann@gone.example\nReason: 550 5.1.1 no such user"),
    _plain("mdaemon", HARD, "MDaemon@x.example", "Permanent Delivery Failure", "The following recipient failed:\nann@gone.example\n550 5.1.1 unknown or illegal user"),
    _plain("zimbra", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "This is the mail system at host zimbra.x.example.\n<ann@gone.example>: unknown user: \"ann\""),
    _plain("gmail unknown", HARD, "Mail Delivery Subsystem <mailer-daemon@googlemail.example>", "Delivery Status Notification (Failure)", "** Address not found **\n\nYour message wasn't delivered to ann@gone.example because the address couldn't be found, or is unable to receive mail.\n\nThe response from the remote server was:\n550 5.1.1 The email account that you tried to reach does not exist."),
    _plain("gmail de", HARD, "Mail Delivery Subsystem <mailer-daemon@googlemail.example>", "Delivery Status Notification (Failure)", "** Die Adresse wurde nicht gefunden **\n\nIhre Nachricht wurde nicht an ann@gone.example zugestellt, weil die Adresse nicht gefunden wurde oder keine E-Mails empfangen kann.\n\n550 5.1.1 does not exist"),
    _plain("gmail full", FULL, "Mail Delivery Subsystem <mailer-daemon@googlemail.example>", "Delivery Status Notification (Failure)", "** Recipient inbox full **\n\nYour message couldn't be delivered to ann@gone.example. Their inbox is full, or it's getting too much mail right now.\n\n452 4.2.2 The email account that you tried to reach is over quota."),
    _plain("yahoo", HARD, "MAILER-DAEMON@yahoo.example", "Failure Notice", "Sorry, we were unable to deliver your message to the following address.\n\n<ann@gone.example>:\n554: delivery error: dd This user doesn't have a yahoo.example account (ann@gone.example) [0]"),
    _plain("yandex", HARD, "mailer-daemon@yandex.example", "Недоставленное сообщение", "Это письмо отправлено почтовым сервером yandex.example.\n\nК сожалению, мы вынуждены сообщить Вам о том, что Ваше письмо не может быть доставлено одному или нескольким адресатам.\n\n<ann@gone.example>: 550 5.1.1 User not found"),
    _plain("mail.ru full", FULL, "mailer-daemon@corp.mail.example", "Mail failure.", "К сожалению, письмо не было доставлено. Почтовый ящик получателя переполнен.\n\nann@gone.example"),
    _plain("qq", HARD, "PostMaster@qq.example", "系统退信", "抱歉，您的邮件被退回来了……\n收件人邮件地址（ann@gone.example）不存在，邮件无法送达。\n550 Mailbox not found", Return_Path="<>"),
    _plain("netease full", FULL, "Postmaster@163.example", "系统退信/Systems bounce", "非常抱歉，您的邮件无法投递。\n收件人邮箱已满\nann@gone.example"),
    _plain("docomo", HARD, "MAILER-DAEMON@docomo.example", "Mail System Error - Returned Mail", "次のあて先へのメッセージはエラーのため送信できませんでした。\nThe user(s) account is unknown: ann@gone.example"),
    _plain("naver", HARD, "mailer-daemon@naver.example", "[메일 발송 실패 안내]", "메일이 발송되지 못했습니다.\n받는 사람: ann@gone.example\n실패 이유: 존재하지 않는 메일 주소 550 5.1.1"),
    _plain("orange", HARD, "MAILER-DAEMON@orange.example", "Avis de non remise", "Votre message n'a pas pu être remis.\nann@gone.example : utilisateur inconnu 550 5.1.1"),
    _plain("libero", FULL, "Mail Delivery System <mailer-daemon@libero.example>", "Mancata consegna", "Non è stato possibile recapitare il messaggio: la casella di posta del destinatario è piena.\nann@gone.example"),
    _plain("wp.pl", HARD, "Mailer-Daemon@wp.example", "Zwrot: wiadomość niedostarczona", "Twoja wiadomość nie została dostarczona: adres ann@gone.example nie istnieje. 550 5.1.1"),
    _plain("seznam", FULL, "MAILER-DAEMON@seznam.example", "Nedoručitelná zpráva", "Vaši zprávu nebylo možné doručit. Schránka příjemce je přeplněná.\nann@gone.example"),
    _plain("t-online", BLOCKED, "Mail Delivery System <Mailer-Daemon@t-online.example>", "Undelivered Mail Returned to Sender", "554 IP=192.0.2.1 - A problem occurred. Your reputation is bad (blocked)."),
    _plain("mimecast", BLOCKED, "postmaster@x.example", "Delivery Notification: Delivery has failed", "The message was rejected by the recipient's mail gateway.\n550 Rejected by policy: Administrative prohibition"),
    _plain("no from at all", HARD, "", "Undeliverable: Your order", "550 5.1.1 no such user"),
    _plain("null from", HARD, "<>", "Delivery Status Notification (Failure)", "550 5.1.1 no such user"),
    _plain("null envelope", HARD, "noreply@x.example", "Mail could not be delivered", "The recipient ann@gone.example does not exist.", Return_Path="<>"),
    _plain("id in a sentence", HARD, QMAIL, "failure notice", f"550 5.1.1 no such user.\nThe mail with the Message-ID <{ID}> did not arrive.", Return_Path="<>"),
    _plain("id in a sentence, de", HARD, "MAILER-DAEMON@x.example", "Unzustellbar", f"Ihre Nachricht mit der Message-ID <{ID}> konnte nicht zugestellt werden: Empfänger unbekannt."),
    _plain("id in quoted headers", HARD, "MAILER-DAEMON@x.example", "Returned", f"550 no such user\n\n> From: support@shop.example\n> Message-ID: <{ID}>\n> Subject: Your order"),
    _plain("id as X-Original", HARD, "MAILER-DAEMON@x.example", "Returned", f"550 no such user\nX-Original-Message-ID: <{ID}>"),
    _plain("id in References only", HARD, "MAILER-DAEMON@x.example", "Returned", "550 no such user\n\n(the message is not included)\n" + " " * 3, References=f"<{ID}>", In_Reply_To=f"<{ID}>"),
]  # fmt: skip

INTERNATIONAL_REPORTS = [
    _report("idn in punycode", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", "smtp; 550 5.1.1 <ann@xn--mller-kva.example>: User unknown", "rfc822; ann@xn--mller-kva.example")),
    _report("idn in unicode", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", "smtp; 550 5.1.1 <ann@müller.example>: User unknown", "utf-8; ann@müller.example")),
    _report("smtputf8", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", "smtp; 550 5.1.1 <анна@почта.example>: User unknown", "utf-8; анна@почта.example"), is_global=True),
    _report("smtputf8 escaped", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", "smtp; 550 5.1.1 User unknown", r"utf-8; \x{430}\x{43D}\x{43D}\x{430}@xn--80a1acny.example"), is_global=True),
    _report("smtputf8 not supported", HARD, POSTFIX, "Undelivered Mail Returned to Sender", "SMTPUTF8 is required, but was not offered by host", _failed("5.6.7", "smtp; 550 5.6.7 SMTPUTF8 is required, but was not offered by host mx.gone.example", "utf-8; анна@gone.example"), is_global=True),
    _report("subject encoded", HARD, POSTFIX, "=?utf-8?B?VW56dXN0ZWxsYmFyOiBJaHJlIEJlc3RlbGx1bmc=?=", "Nicht zugestellt.", _failed("5.1.1", _UNKNOWN)),
    _report("sender in unicode", HARD, "MAILER-DAEMON@почта.example", "Undelivered Mail Returned to Sender", "Could not be delivered.", _failed("5.1.1", _UNKNOWN), is_global=True),
]  # fmt: skip

REPORTS = (
    *POSTFIX_REPORTS, *QMAIL_REPORTS, *EXIM_REPORTS, *EXCHANGE_REPORTS, *OTHER_REPORTS, *INTERNATIONAL_REPORTS,
)  # fmt: skip

_WORDS = (
    "My parcel could not be delivered, the mailbox is full. What now?",
    "Delivery failed again! Your courier rang once and left.",
    "550 5.1.1 is the error that I get when I write to sales@shop.example. Can you help?",
    "Ihre Sendung wurde nicht zugestellt, sagt der Paketdienst. Wo ist sie?",
    "Mein Postfach ist voll, bitte schicken Sie die Rechnung noch einmal.",
    "Le colis n'a pas pu être livré : adresse inconnue. Que faire ?",
    "El pedido no se pudo entregar porque la dirección no existe.",
    "Il pacco non è stato consegnato, la casella è piena.",
    "Het pakket is niet bezorgd: het adres bestaat niet.",
    "Przesyłka wróciła, adres nie istnieje. Proszę o pomoc.",
    "Посылка не доставлена, адрес не найден.",
    "荷物が届きません。住所が存在しないと言われました。",
    "I am out of the office until Monday. Your message was not forwarded.",
    "Your account has been suspended? I cannot log in: user unknown.",
    "Please remove me: this address is no longer valid for the team.",
    "We run a mail server and see many bounces from you. Is your SPF record right?",
    "The mailbox on our street is full, the postman returned the letter to sender.",
    "Returned mail: the shoes I sent back have arrived, when is the refund?",
    "Could you resend the mail? It was rejected by our spam filter.",
    "Undeliverable was what the tracking page said.",
)
_HEADS = (
    "From: ann@x.example\nReturn-Path: <ann@x.example>\nSubject: Question",
    "From: Ann <ann@x.example>\nSubject: Re: Delivery failed\nIn-Reply-To: <{id}>",
    "From: ann@x.example\nSubject: Fwd: Undelivered Mail Returned to Sender",
    "From: postmaster@x.example\nReturn-Path: <postmaster@x.example>\nSubject: Question about my order",
    "From: info@x.example\nReturn-Path: <info@x.example>\nSubject: Mail delivery problem",
    "From: ann@x.example\nSubject: Delivery failure of my parcel",
    "From: office@x.example\nReturn-Path: <>\nAuto-Submitted: auto-replied\nSubject: Automatic reply: Your order",
    "From: shop@x.example\nList-Id: <news.x.example>\nSubject: Undelivered? Track your parcel",
    "From: ann@x.example\nSubject: Unzustellbar",
    "From: daemon@x.example\nReturn-Path: <daemon@x.example>\nSubject: Failure notice of the lift",
)
ORDINARY = [
    f"Message-ID: <o{a}-{b}@x.example>\n{head.format(id=ID)}\nTo: support@shop.example\n"
    f"Content-Type: text/plain; charset=utf-8\n\n{words}\n".encode()
    for a, head in enumerate(_HEADS)
    for b, words in enumerate(_WORDS)
]
