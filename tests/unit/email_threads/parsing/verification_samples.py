"""
Labelled mails for the recognition of verification mails, written for this project: language, fields, body.

Mails that programs send have `PROGRAM` fields; mails of persons have none.
"""

from __future__ import annotations

from typing import Final

type Sample = tuple[str, dict[str, str], str]

AUTO: Final = {"auto_submitted": "auto-generated"}
BULK: Final = {"precedence": "bulk"}
LIST: Final = {"list_unsubscribe": "<https://news.example/u/1>"}
ROBOT: Final = {"from": "no-reply@service.example"}
FORM: Final = {"from": "noreply@forms.shop.example"}
ANSWER: Final = {"in_reply_to": "<q@shop.example>", "subject": "Re: Chairs"}
LINK: Final = "https://service.example"
TOKEN: Final = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"
HEX: Final = "9f86d081884c7d659a2feaa0c55ad015"

VERIFICATION: Final[list[Sample]] = [
    ("en", ROBOT, "Your verification code is 123456."),
    ("en", ROBOT, "Use this code to sign in:\n\n483 920\n\nIt expires in 10 minutes."),
    ("en", {}, "Your verification code is 123456"),
    (
        "en",
        {"subject": "Sign in to Service"},
        "Hi,\n\nYour one-time code is:\n\n908172\n\nDo not share it.\n",
    ),
    ("en", AUTO | {"subject": "571923 is your Service code"}, "Enter the code from the subject."),
    (
        "en",
        ROBOT | {"subject": "Please confirm your address"},
        f"Hello,\n\nconfirm your address here:\n{LINK}/confirm?token={HEX}\n",
    ),
    (
        "en",
        {"subject": "Confirm your email address"},
        f"Thanks for signing up. Please confirm your email address: {LINK}/verify/{HEX}",
    ),
    (
        "en",
        ROBOT | {"subject": "Your magic link"},
        f"Click to log in:\n{LINK}/magic/{TOKEN}\n\nThis link is valid for 15 minutes.",
    ),
    (
        "en",
        LIST | {"from": "hello@service.example"},
        "Here is your login code\n\nG-482915\n\nThe Service team",
    ),
    ("en", ROBOT, "One-time password: X7K2-9QPL"),
    ("en", ROBOT, "We noticed a login.\n\n**7401**\n\nEnter this PIN on your device."),
    ("en", ROBOT, "Reset your password\n" + f"{LINK}/password/reset?code={HEX}"),
    ("de", ROBOT, "Ihr Bestätigungscode lautet: 774410\nEr ist 5 Minuten gültig."),
    (
        "de",
        {"subject": "Ihr Anmeldecode"},
        "Guten Tag,\n\nIhr Einmalpasswort lautet:\n\n55 20 19\n\nMit freundlichen Grüßen",
    ),
    (
        "de",
        {"subject": "Bitte bestätigen Sie Ihre E-Mail-Adresse"},
        f"Bitte bestätigen Sie Ihre E-Mail-Adresse:\n{LINK}/bestaetigen/{HEX}?confirm=1",
    ),
    ("de", AUTO, "Dein Code\n\n901 223\n\nGib ihn in der App ein."),
    ("fr", ROBOT, "Votre code de vérification est 662013. Il expire dans 10 minutes."),
    (
        "fr",
        BULK,
        "Bonjour,\n\nVoici votre code de connexion :\n\n4417\n\nNe le communiquez à personne.",
    ),
    ("es", ROBOT, "Tu código de verificación es: 330918"),
    (
        "es",
        AUTO,
        f"Para confirmar tu dirección de correo haz clic aquí: {LINK}/confirmar?token={HEX}",
    ),
    ("it", ROBOT, "Il tuo codice di verifica è 118822."),
    (
        "it",
        AUTO,
        "Inserisci questo codice:\n\n90 81 72\n\nNon hai richiesto nulla? Ignora questo messaggio.",
    ),
    ("pt", ROBOT, "O seu código de acesso:\n\n775533\n\nVálido por 10 minutos."),
    ("nl", ROBOT, "Uw bevestigingscode is 400912."),
    ("pl", ROBOT, "Twój kod weryfikacyjny to 615243. Nie udostępniaj go nikomu."),
    ("sv", ROBOT, "Din engångskod:\n\n218843\n\nKoden gäller i 10 minuter."),
    ("tr", ROBOT, "Doğrulama kodunuz: 553190"),
    ("ru", ROBOT, "Ваш код подтверждения: 771204\nНикому не сообщайте его."),
    (
        "ja",
        ROBOT,
        "認証コード:\n\n\uff14\uff18\uff13\uff19\uff12\uff10\n\n10分以内に入力してください。",
    ),
    ("zh", ROBOT, "您的验证码是 481516，5分钟内有效。"),
    ("ko", ROBOT, "인증번호\n\n739105\n\n3분 안에 입력해 주세요."),
    ("ar", ROBOT, "رمز التحقق الخاص بك:\n\n\u0664\u0668\u0663\u0669\u0662\u0660\n"),
    ("hi", ROBOT, "आपका सत्यापन कोड:\n\n\u096a\u096e\u0969\u096f\u0968\u0966\n"),
    ("he", ROBOT, "קוד האימות שלך:\n\n204718\n"),
    ("th", ROBOT, "รหัสยืนยันของคุณ\n\n556677\n"),
    ("vi", ROBOT, "Mã xác minh của bạn là 901274"),
    ("el", ROBOT, "Ο κωδικός επαλήθευσής σας:\n\n381920\n"),
    ("no", ROBOT, "Koden din er 482913"),
    ("hu", ROBOT, "A kódod: 482913"),
    ("fi", ROBOT, "Vahvistuskoodisi on 482913"),
    ("ja", ROBOT, "あなたの確認コードは482913です。"),
    ("ko", ROBOT, "인증 코드는 482913입니다."),
    ("zh", {}, "您的验证码是482913"),
    ("fr", {}, "Votre code de vérification est le 482913."),
    ("es", {}, "Tu código de verificación es 482913"),
    ("de", {}, "Ihr Bestätigungscode lautet: 482913"),
    (
        "en",
        {"subject": "Slack confirmation code: KXW-Q9P"},
        "Your confirmation code is below.\n\nKXW-Q9P\n",
    ),
    # A language without words here: structure alone.
    ("is", ROBOT, "Sláðu inn þessar tölur til að halda áfram:\n\n482 913\n\nKveðja"),
    ("sw", AUTO, "Weka nambari hii kwenye programu ili kuendelea\n\n771208\n\nAsante"),
    ("is", ROBOT, f"Smelltu hér til að halda áfram: {LINK}/auth/{HEX}"),
]

ORDINARY: Final[list[Sample]] = [
    ("en", {}, "Hello,\n\nwhere is my order 483920? It should have come on Friday.\n\nAnn"),
    ("en", {}, "Hi, my order number is:\n\n483920\n\nPlease cancel it.\nThanks, Ann"),
    ("en", {"subject": "Order 10023456"}, "Please change the address to 12 Mill Lane, SW1A 1AA."),
    ("en", {}, "I never got the verification code. Can you help me to log in?"),
    ("en", {}, "The login code 123456 that you sent me does not work. What can I do?"),
    ("en", ANSWER, "483920"),
    ("en", ANSWER, "The serial number is\n\nAB12CD34\n\nand it stopped working in 2024."),
    (
        "en",
        {},
        "Can you confirm that the chair 20417 is in stock? I need 12 pieces by 4 May 2026.\n\nBob",
    ),
    (
        "en",
        {},
        f"The page {LINK}/confirm?token={HEX} shows an error when I open it. Can you look at it?",
    ),
    (
        "en",
        {},
        "Our VAT id is DE123456789. Please send invoice 2026-0417 again to our accounting department.",
    ),
    (
        "en",
        FORM,
        "Name: Ann\nPhone: 030 123456\nPostcode: 10115\nMessage: Please call me about a chair.\n",
    ),
    (
        "en",
        FORM | {"subject": "New order"},
        "New order\n\nOrder number\n\n4500012345\n\nTotal: 120.00 EUR\n2 chairs, 1 table\n",
    ),
    ("en", {}, "My booking reference is K7P2QX. We arrive at 18:00 with two children."),
    ("en", {}, "The promo code SAVE2024 is refused. Is it still valid?"),
    ("en", {}, "Please sign in the visitors at gate 4711, they come in 30 minutes."),
    ("en", {}, "Customer number\n10020030\n\nMeter reading\n004512\n\nRegards\nAnn"),
    (
        "de",
        {},
        "Guten Tag,\n\nmeine Bestellnummer ist 483920. Wann wird geliefert?\n\nMit freundlichen Grüßen\nAnn",
    ),
    ("de", {}, "Bestellnummer:\n483920\n\nBitte bestätigen Sie den Liefertermin am 12.05.2026."),
    ("de", {}, "Der Code 774410 funktioniert nicht. Bitte um Hilfe."),
    ("de", ANSWER, "Ja, die Rechnung 20260417 ist bezahlt. Unsere PLZ ist 10115."),
    ("de", {}, "Können Sie mir die Zugangsdaten zusenden? Ich kann mich nicht anmelden."),
    ("fr", {}, "Bonjour,\n\nje n'ai pas reçu ma commande 775120.\n\nCordialement"),
    ("fr", {}, "Commande n° :\n775120\n\nMerci de confirmer la livraison."),
    ("es", {}, "Hola, mi pedido es el 661204 y aún no ha llegado. ¿Pueden confirmar la fecha?"),
    ("es", {}, "Número de pedido\n661204\n\nGracias"),
    ("it", {}, "Buongiorno, il mio ordine 90817 non è arrivato. Potete verificare?"),
    ("pt", {}, "Olá, o pedido 556120 veio errado. Podem verificar a fatura 2026118?"),
    ("nl", {}, "Mijn bestelling 40091 is beschadigd. Kunt u bevestigen dat u een nieuwe stuurt?"),
    ("pl", {}, "Moje zamówienie 61524 nie dotarło. Proszę potwierdzić termin."),
    ("sv", {}, "Hej, min beställning 21884 har inte kommit."),
    ("tr", {}, "Merhaba, sipariş numaram 553190. Ne zaman gelir?"),
    ("ru", {}, "Здравствуйте, номер заказа 771204. Когда доставка?"),
    ("ja", {}, "注文番号は 483920 です。いつ届きますか?"),
    ("zh", {}, "你好,我的订单号是 481516,什么时候发货?"),
    ("ko", {}, "주문번호 739105 배송이 언제 되나요?"),
    ("ar", {}, "مرحبا، رقم الطلب 483920. متى يصل؟"),
    ("hi", {}, "मेरा ऑर्डर नंबर 483920 है। यह कब आएगा?"),
    ("he", {}, "שלום, מספר ההזמנה שלי הוא 204718. מתי זה מגיע?"),
    ("th", {}, "คำสั่งซื้อ 556677 จะมาถึงเมื่อไหร่"),
    ("vi", {}, "Đơn hàng 901274 của tôi khi nào đến?"),
    ("is", {}, "Hvenær kemur sendingin mín? Númerið er 482913."),
    ("en", ANSWER, "Your order confirmation 483920 says 10 chairs but I need 12."),
    ("en", {}, "The confirmation number on your mail is 483920, but the hotel can't find it."),
    (
        "en",
        {},
        "Your invoice 483920 is not correct, please confirm the right amount within 30 minutes.",
    ),
    ("en", {}, "The license key\n\nABCD-1234\n\ndoes not activate."),
    ("en", {}, "Can you log in to my account 55512345 and change the address?"),
    ("en", {}, "Hello, my customer number is 123456. I forgot my password, please help."),
    ("de", {}, "Mein Zählerstand\n\n004512\n\nViele Grüße"),
    ("de", {}, "Ich habe den Code 4711 an der Tür eingegeben, sie öffnet nicht."),
    ("de", {}, "Aktenzeichen: 12345/26\n\nIch bestätige den Termin am 12.05.2026."),
    (
        "fr",
        {},
        "Bonjour, votre facture 55512 ne correspond pas à ma commande 55513. Pouvez-vous vérifier ?",
    ),
    ("es", {}, "Mi número de cliente es 5512345, ¿pueden confirmar mi cuenta?"),
    ("zh", {}, "我的订单号是481516吗?请确认。"),
    ("ja", {}, "注文番号は483920です。確認してください。"),
    ("ko", {}, "주문번호는 739105입니다. 확인 부탁드립니다."),
]
