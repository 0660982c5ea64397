"""Words by which verification mails, and numbers that are no codes, are told apart. They only add to the structure."""

from __future__ import annotations

import re
from typing import Final

_START: Final = r"(?<![^\W_])"
_END: Final = r"(?![^\W_])"

# Codes, passwords, logging in, confirming: beginnings of words.
_VERIFICATION_STEMS: Final = (
    r"verif|v[eé]rif|confirm|conferm|bestätig|bestaetig|bevestig|bekr[aä]ft|bekræft|potvr|potwierd|vahvist|doğrula"
    r"|onayla|authenti|autenti|one[ -]time|einmal|engångs|engangs|säkerhets|sikkerheds|sikkerhets|kertakäyttö|jednoraz"
    r"|egyszer|tek kullanım|otp\b|2fa\b|mfa\b|pin\b|tan\b|passcode|passwor|kennwort|mot de passe|contraseña|senha\b"
    r"|hasł|heslo|lösenord|wachtwoord|adgangskode|salasana|parol|şifre|jelszó|log ?in|sign ?in|sign ?up|anmeld|einlogg"
    r"|connexion|inicio de sesi|iniciar sesi|accesso|acesso|inlogg|zaloguj|logowani|přihl|giriş|magic link|activat"
    r"|aktivi|activa|attiva|ativa|codes?\b|sicherheitscode|zugangscode|c[oó]digo|codice|kodas?\b|kod(?:e[nt]?|u)?\b|koodi"
    r"|kód\w{0,4}\b|kodi\b|kodunuz|mã\b|xác (?:minh|nhận|thực)|код|парол|подтвер|провер|вход\b|увійти|підтвер|κωδικ"
    r"|επιβεβαί|επαλήθ"
)
VERIFICATION: Final = re.compile(
    rf"{_START}(?:{_VERIFICATION_STEMS})"
    r"|验证|驗證|校验|确认码|確認碼|動態密碼|登录|登錄|認証|確認コード|ワンタイム|パスワード|ログイン|コード"
    r"|인증|확인 ?코드|비밀번호|로그인|رمز|كود|التحقق|تأكيد|קוד|אימות|सत्यापन|कोड|ओटीपी|รหัส|ยืนยัน",
    re.IGNORECASE,
)
# Numbers that people write about: beginnings of words.
REFERENCE: Final = re.compile(
    rf"{_START}(?:order|bestell|auftrag|commande|pedido|ordine|encomenda|zam[oó]wieni|objedn|bestilling|best[aä]llning"
    r"|tilaus|sipariş|rendelés|invoice|rechnung|facture|factura|fattura|fatura|faktur|lasku|számla|receipt|quittung"
    r"|quote\b|offer|angebot|track|sendung|shipment|parcel|paket|colis|env[ií]o|spedizion|przesyłk|ticket|case\b"
    r"|vorgang|referen|ref\b|rif\b|aktenzeichen|customer|kunden|client\b|cliente|klant|klient|member|mitglied|article"
    r"|artikel|item\b|sku\b|model|serial|serien|part no|booking|buchung|reserva|r[eé]servation|prenotazion|rezerwac"
    r"|po\b|p\.o\.|iban|konto|account number|contract|vertrag|contrat|postcode|postal|post code|zip|plz\b|cap\b"
    r"|area code|country code|dial|phone|tel\b|tel[eé]fon|t[eé]l[eé]phone|fax|mobile|handy|ext\b|promo|discount|coupon"
    r"|voucher|gutschein|rabatt|gift|code postal|c[oó]digo postal|código de descuento|bon de r[eé]duction|colou?r code"
    r"|farbcode|error code|fehlercode|qr[ -]?code|bar ?code|заказ|сч[её]т|отправлен|накладн|замовлен|рахун|παραγγελ"
    r"|τιμολόγ|индекс|артикул)"
    r"|订单|訂單|单号|單號|发票|發票|快递|注文|請求書|伝票|追跡|郵便|주문|송장|운송장|영수증|الطلب|طلبي|طلب رقم|فاتورة"
    r"|הזמנה|חשבונית|ऑर्डर|चालान|คำสั่งซื้อ|ใบแจ้งหนี้|đơn hàng",
    re.IGNORECASE,
)
# "Your code", "your address".
ADDRESSED: Final = re.compile(
    rf"{_START}(?:your|ihre?n?|dein(?:en?)?|votre|vos|ton|tu|su|tus|tuo|tua|suo|sua|seu|teu|twój|twojego|uw|jouw|je|din"
    r"|ditt|dit|sinun|ваш|ваше|твой|твоё|váš|vaši|az ön)\s+(?:[^\W\d_]+[ -]){0,3}?"
    rf"(?:{_VERIFICATION_STEMS}|e-?mail|mail|address|adres|direcci|indirizzo|endereço|account|konto|compte|cuenta"
    r"|conta\b|почт|адрес)"
    r"|您的.{0,10}(?:码|碼)|あなたの|お客様の.{0,10}コード|귀하의|회원님의|رمزك|الخاص بك|שלך|आपका|आपकी|ของคุณ"
    r"|của bạn|kodunuz|şifreniz|σας",
    re.IGNORECASE,
)
# The time for which a code is valid.
MINUTES: Final = re.compile(
    rf"\d{{1,3}} ?(?:min{_END}|mins{_END}|minut|minuut|perc{_END}|dakika|λεπτά|минут|хвилин|hours?{_END}|stunden?{_END}"
    r"|phút|分钟|分鐘|分間|分以内|分|분|นาที|मिनट|دقائق|دقيقة|דקות)",
    re.IGNORECASE,
)
# In the sentence that names a code: it does not work.
NEGATION: Final = re.compile(
    rf"{_START}(?:not|doesnt|never|nicht|nie|kein\w*|ne|pas|jamais|no|nunca|non|não|nao|niet|inte|ikke|ei|не|değil|nem)"
    rf"{_END}|n['\u2019]t\b|不|无法|無法|ません|않|لا |לא |नहीं|ไม่|không",
    re.IGNORECASE,
)
