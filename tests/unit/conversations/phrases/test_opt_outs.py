"""Which words of a customer are evidence for an opt-out of the model."""

from __future__ import annotations

from conversations.ai.phrases.opt_outs import wants_no_messages
from shared.ai.texts.languages.function_words import plain_words
from tests.cases import each

STOPS = """
please stop texting me
STOP
Please stop!
Don\u2019t contact me ever again
take me off your list
I don't want any messages from you
never write to me again
Lassen Sie mich in Ruhe
Ich will keine Nachrichten mehr
Hören Sie auf mir zu schreiben
Bitte löschen Sie meine Nummer
Ne m'écrivez plus jamais
Arrêtez de m'envoyer des messages
No quiero más mensajes
Dejen de escribirme
Non scrivetemi più
Smettetela di scrivermi
Não me mandem mais nada
Parem de me mandar mensagens
geen berichten meer aub
Stop met sturen
Nie piszcie do mnie
Proszę mnie wypisać
Sluta skicka sms
Lad mig være i fred
Älkää lähettäkö enää viestejä
Nepište mi už
Ne írjanak többet
Nu-mi mai scrieți
Lütfen bana mesaj göndermeyin
Не пишите мне больше
Не пишіть мені
Σταματήστε να μου στέλνετε
لا تراسلوني مرة أخرى
תפסיקו לשלוח לי הודעות
もう連絡しないでください
不要再发了
더 이상 연락하지 마세요
หยุดส่งข้อความ
Đừng nhắn tin cho tôi nữa
Jangan hubungi saya lagi
I no longer want these messages
Quítenme de la lista
Je ne veux plus de vos SMS
Haal me van de lijst
Wypiszcie mnie
Bana artık yazmayın
不要再给我发消息
""".strip().splitlines()
NO_STOPS = """
I am no longer interested in the job
No thanks
Wrong number?
Which bus stop is it?
Where do I stop working, at five?
Please don't stop texting me, I need the code
Please don't call before nine
I want no more than two shifts
Nein danke, ich habe schon etwas
Wo ist der nächste Stopp?
Bitte nicht abmelden
Bonne journée
Vous arrêtez à quelle heure ?
No quiero recibir el paquete hoy
Deje de momento la reserva como está
Não quero mais trabalhar aos domingos
Non voglio più il turno di notte
Ik neem de bus tot de laatste halte
Nie chcę więcej niż jednej zmiany
Я не пишу стихи
不要紧
I have found another flat
Stuur me geen factuur maar een offerte
""".strip().splitlines()


@each("text", STOPS)
def test_words_of_an_opt_out_are_known(text: str) -> None:
    assert wants_no_messages(plain_words(text))


@each("text", NO_STOPS)
def test_other_words_are_no_opt_out(text: str) -> None:
    assert not wants_no_messages(plain_words(text))
