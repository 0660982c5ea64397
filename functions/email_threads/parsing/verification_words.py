"""Words by which verification mails, and numbers that are no codes, are told apart. They only add to the structure."""

from __future__ import annotations

import re
from typing import Final


def _starting(words: str, *, anywhere: str = "") -> re.Pattern[str]:
    """Match a word that starts with one of *words*, or one of *anywhere*, of scripts without blanks or word ends."""
    parts = [rf"(?<![^\W_])(?:{'|'.join(words.split('|'))})", *([anywhere] if anywhere else [])]
    return re.compile("|".join(parts), re.IGNORECASE)


# Codes, passwords, logging in, confirming.
VERIFICATION: Final = _starting(
    r"verif|engångs|engangs|säkerhets|sikkerheds|sikkerhets|kertakäyttö|jednoraz|egyszer|tek kullanım|v[eé]rif|confirm|conferm|bestätig|bestaetig|bevestig|bekr[aä]ft|bekræft|potvr|potwierd|vahvist|doğrula|onayla"
    r"|authenti|autenti|authentif|one[ -]time|einmal|otp\b|2fa\b|mfa\b|pin\b|tan\b|passcode|password|passwor|kennwort"
    r"|mot de passe|contraseña|senha\b|hasł|heslo|lösenord|wachtwoord|adgangskode|salasana|parol|şifre|jelszó"
    r"|log ?in|sign ?in|sign ?up|signin|anmeld|einlogg|connexion|inicio de sesi|iniciar sesi|accesso|acesso|inlogg|zaloguj|logowani"
    r"|přihl|giriş|magic link|activat|aktivi|activa|attiva|ativa"
    r"|codes?\b|sicherheitscode|zugangscode|best[aä]tigungscode|c[oó]digo|codice|kodas?\b|kod[eu]?\b|koodi|kód\b|kodi\b|kodunuz|mã\b|xác (?:minh|nhận|thực)"
    r"|код|парол|подтвер|провер|вход\b|увійти|підтвер|κωδικ|επιβεβαί|επαλήθ",
    anywhere=r"验证|驗證|校验|确认码|確認碼|動態密碼|验证码|登录|登錄|認証|確認コード|ワンタイム|パスワード|ログイン|コード"
    r"|인증|확인 ?코드|비밀번호|로그인|رمز|كود|التحقق|تأكيد|קוד|אימות|सत्यापन|कोड|ओटीपी|รหัส|ยืนยัน",
)
# Numbers that people write about.
REFERENCE: Final = _starting(
    r"order|bestell|auftrag|commande|pedido|ordine|encomenda|zam[oó]wieni|objedn|bestilling|best[aä]llning|tilaus|sipariş|rendelés"
    r"|invoice|rechnung|facture|factura|fattura|fatura|faktur|lasku|számla|receipt|quittung|quote\b|offer|angebot"
    r"|track|sendung|shipment|parcel|paket|colis|env[ií]o|spedizion|przesyłk|ticket|case\b|vorgang|reference|referen|ref\b|rif\b|aktenzeichen"
    r"|customer|kunden|client\b|cliente|klant|klient|member|mitglied|article|artikel|item\b|sku\b|model|modell|serial|serien|part no"
    r"|booking|buchung|reservation|reserva|r[eé]servation|prenotazion|rezerwac|po\b|p\.o\.|iban|konto|account number|contract|vertrag|contrat"
    r"|postcode|postal|post code|zip|plz\b|cap\b|area code|country code|dial|phone|tel\b|telefon|tel[eé]fono|t[eé]l[eé]phone|fax|mobile|handy|ext\b"
    r"|promo|discount|coupon|voucher|gutschein|rabatt|gift|code postal|c[oó]digo postal|código de descuento|bon de r[eé]duction|color code|farbcode|colour code|error code|fehlercode|qr[ -]?code|bar ?code"
    r"|заказ|сч[её]т|отправлен|накладн|замовлен|рахун|παραγγελ|τιμολόγ|индекс|артикул",
    anywhere=r"订单|訂單|单号|單號|发票|發票|快递|注文|請求書|伝票|追跡|郵便|주문|송장|운송장|영수증|الطلب|طلبي|طلب رقم|فاتورة|הזמנה|חשבונית|ऑर्डर|चालान|คำสั่งซื้อ|ใบแจ้งหนี้|đơn hàng",
)
# "Your code", "confirm your address".
ADDRESSED: Final = re.compile(
    r"(?<![^\W_])(?:your|ihre?n?|dein(?:en?)?|votre|vos|ton|tu|su|tus|tuo|tua|suo|sua|seu|teu|twój|twojego|pański|uw|jouw|je|din|ditt|dit|sinun"
    r"|ваш|ваше|твой|твоё|váš|vaši|vas|az ön)\s+(?:[^\W\d_]+[ -]){0,3}?(?:%s|e-?mail|mail|address|adres|direcci|indirizzo|endereço|account|konto|compte|cuenta|conta\b|почт|адрес)"
    r"|您的.{0,10}(?:码|碼)|あなたの|お客様の.{0,10}コード|귀하의|회원님의|رمزك|الخاص بك|הקוד שלך|שלך|आपका|आपकी|รหัสของคุณ|của bạn|kodunuz|şifreniz|σας"
    % VERIFICATION.pattern.replace("(?<![^\\W_])", ""),
    re.IGNORECASE,
)
# How long a code is valid.
MINUTES: Final = re.compile(
    r"\d{1,3} ?(?:min(?![a-z])|minut|mins?\b|minuut|minuter|perc\b|dakika|λεπτά|минут|хвилин|hours?\b|stunden?\b|phút)"
    r"|\d{1,3} ?(?:分钟|分鐘|分間|分以内|分|분|นาที|मिनट|دقائق|دقيقة|דקות)",
    re.IGNORECASE,
)
# In the sentence that names the code: it does not work.
NEGATION: Final = re.compile(
    r"(?<![^\W_])(?:not|n['\u2019]t|doesnt|never|nicht|nie|kein\w*|ne|pas|jamais|no|nunca|non|não|nao|niet|inte|ikke|ei|не|değil|nem)(?![^\W_])"
    r"|n['\u2019]t\b|不|无法|無法|ません|안 |않|لا |לא |नहीं|ไม่|không",
    re.IGNORECASE,
)
