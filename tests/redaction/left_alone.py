"""Fictitious strings without personal data that resemble personal data."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Callable
from random import Random

from tests.redaction.made_up import digits

WORDS = [
    "The lamp I bought is broken and I want my money back", "Where is my order? It has been two weeks.",
    "I'm still waiting for an answer", "I am Very disappointed with this", "This is Unacceptable.",
    "Thanks for your help", "Thanks, I will try that", "Best regards from all of us here",
    "I'm Waiting since Monday", "This is not what I wanted", "Thank you, that works", "I am writing again",
    "Please cancel", "Do you ship to Canada?", "I'd like to return it, how?", "My name is on the parcel",
    "Best wishes for the new year to you all", "The token is invalid", "my password is not working",
    "the password is wrong",
    "Is there a discount code?", "I never got a tracking number", "Can you call me?",
    "Tracking says delivered but nothing came", "UPS lost it", "order status please", "how do I track my parcel",
    "I'm American and shop here often",
    "It is on Main Street near the park", "the street lamp model", "Is the order number in the mail?",
    "What's your address?", "This is the second time", "I am in Berlin next week", "Cheers for that", "the best",
    "Love it!", "It's Monday again",
    "Our store at the corner of Oak and Main is closed", "I sent an email to support", "at work (at home too)",
    "see you @ the shop", "@acme please answer", "who do I contact?", "Could you confirm the delivery window?",
    "PutItem: ConditionalCheckFailedException",
    "event handled", "3 of 10 entries refused: InternalError", "see https://example.com/faq/returns for it",
    "https://shop.example.com/products/lamp", "https://docs.example.com/guide", "www.example.com",
    "read example.com/help first",
    "Do I need an account?", "the order is wrong", "my order was late", "purchase is complete",
    "confirmation is missing", "I called twice", "phone is broken", "my phone fell", "Text is too small",
]  # fmt: skip


def stays(make: Callable[[Random], str]) -> Callable[[Random], tuple[str, str]]:
    def case(random: Random) -> tuple[str, str]:
        text = make(random)
        return text, text

    return case


def price(random: Random) -> str:
    whole, cents = random.randint(1, 99_999), digits(random, 2)
    amount = random.choice([
        f"${whole}.{cents}", f"{whole},{cents} €", f"€{whole}", f"{whole:,}.{cents} USD", f"£{whole:,}",
        f"{whole} dollars",
        f"${whole:,}", f"{whole:,}".replace(",", ".") + f",{cents} EUR",
        f"{random.randint(1, 99)} {random.randint(100, 999)} kr", f"{random.randint(1, 99)}% off", f"Rs. {whole:,}/-",
        f"R$ {whole},{cents}", f"¥{whole * 10}", f"USD {random.randint(1000, 99999)}",
        f"$ {random.randint(1000000, 9999999)}",
    ])  # fmt: skip
    return random.choice(
        [
            "It cost {}.",
            "I paid {} for it",
            "{} is too much",
            "charged {} twice",
            "refund of {} please",
        ]
    ).replace("{}", amount)


def date(random: Random) -> str:
    y, m, d = random.randint(2019, 2027), random.randint(1, 12), random.randint(1, 28)
    month = random.choice(["March", "Jan", "October", "Sept."])
    written = random.choice([
        f"{y}-{m:02d}-{d:02d}", f"{d:02d}.{m:02d}.{y}", f"{m:02d}/{d:02d}/{y}", f"{d}/{m}/{y % 100:02d}",
        f"{month} {d}, {y}", f"{d} {month} {y}", f"{d}-{m}-{y}",
        f"{y}/{m:02d}/{d:02d}", f"{y}{m:02d}{d:02d}", f"{y}-{y + 1}", f"{d:02d} {m:02d} {y}", f"{m}/{y}",
        f"Q{m % 4 + 1} {y}", f"{y}-W{d:02d}",
        f"{d:02d}.{m:02d}.{y} - {min(d + 1, 28):02d}.{m:02d}.{y}", f"between {y - 1} and {y}",
        f"{y}-{m:02d}-{d:02d} to {y}-{m:02d}-{d:02d}",
    ])  # fmt: skip
    return random.choice(
        [
            "I ordered on {}.",
            "{}",
            "delivered {}",
            "by {} please",
            "order from {}",
            "since {}",
            "Date: {}",
        ]
    ).replace("{}", written)


def time_of_day(random: Random) -> str:
    h, m, s = random.randint(0, 23), random.randint(0, 59), random.randint(0, 59)
    written = random.choice([
        f"{h:02d}:{m:02d}", f"{h % 12 + 1}:{m:02d} pm", f"{h:02d}:{m:02d}:{s:02d}",
        f"2026-03-{random.randint(1, 28):02d}T{h:02d}:{m:02d}:{s:02d}Z",
        f"2026-03-{random.randint(1, 28):02d} {h:02d}:{m:02d}:{s:02d},{random.randint(0, 999):03d}+0000",
        f"{h} - {h + 2} Uhr", f"{h}h{m:02d}",
        f"2026-03-{random.randint(1, 28):02d}T{h:02d}:{m:02d}:{s:02d}.{random.randint(0, 999):03d}Z",
        f"at {h}.{m:02d}", f"from 9 to {h}", f"{random.randint(1700000000, 1799999999)}",
        f"{random.randint(1700000000000, 1799999999999)}", f"{m} min {s} s",
    ])  # fmt: skip
    return random.choice(
        ["{}", "it came {}", "Open {}", "time={}", "last seen {} here", "your chat of {} today"]
    ).replace("{}", written)


def quantity(random: Random) -> str:
    n = random.randint(2, 9_999)
    return random.choice([
        f"I want to order {n} units", f"order {n} pieces", f"{n} x 500 ml", f"{n} boxes of {n + 3}", f"{n},000 km",
        f"a pack of {n}", f"{n} cm x {n + 10} cm", f"{n} mAh battery",
        f"{n:,} people", f"{n} of {n + 40} items", f"size {n % 50}", "sizes 36 38 40 42", f"{n} kg",
        f"we have {n * 1000:,} followers", f"{n}00 000 subscribers", f"page {n} of 12000",
        f"1 000 000 views, {n} likes", f"{n / 7:.3f} m", f"resolution 1920 x {n}", f"{n}-{n + 100} pieces",
        f"{n} 1/2 inches", f"3 items, {n} g each", f"can I order {n} of those?",
        f"{n} W, 230 V, 50-60 Hz", f"{n} °C", f"{n}th floor", f"he is {n % 90} years old", f"5 stars, {n} reviews",
        f"in {n} days", f"only {n} left",
    ])  # fmt: skip


def model(random: Random) -> str:
    n = random.randint(100, 9_999)
    return random.choice([
        f"Sony WH-{n}XM5", f"RTX {n}", f"iPhone {n % 17} Pro Max", f"Galaxy S{n % 30}", f"Model {n}",
        f"DeWalt DCD{n}", f"my GoPro HERO{n % 13}", f"Canon EOS R{n % 10}", f"ThinkPad T{n}s",
        f"a Boeing 7{n % 10}7", f"Windows {n % 12}", f"firmware v{n % 9}.{n % 7}.{n % 30}",
        f"version {n % 9}.{n % 13}.{n}", f"USB 3.{n % 3}", f"SKU: LAMP-{n}-BLK", f"SKU 100-200-{n}",
        f"Model no. {n}-{n + 5}", f"part number {n}{n + 1}", f"ISBN 978-3-16-148410-0 vol {n}", f"ISO {n}",
        f"LEGO {n}{n % 10}", f"size US {n % 13}", f"RAL {n}", f"Pantone {n} C",
        f"#{random.choice(['fff', 'a0b1c2', 'ff00aa'])} colour, item {n}", f"E27 bulb {n} lm", f"Nikon D{n}",
        f"AA{n} battery", f"error E-{n}", f"error code {n}", f"HTTP {n % 600}", f"EAN 40063813{n:05d}",
    ])  # fmt: skip


def technical_id(random: Random) -> str:
    made = uuid.UUID(bytes=random.randbytes(16))
    wamid = "wamid." + base64.b64encode(random.randbytes(36)).decode()
    h = random.randbytes(32).hex()
    n = digits(random, 12)
    return random.choice([
        str(made), f"request {made}", wamid, f"arn:aws:sqs:us-east-1:{n}:parley-dev-richpanel.fifo",
        f"arn:aws:lambda:eu-central-1:{n}:function:parley-dev-worker",
        f"arn:aws:secretsmanager:us-east-1:{n}:secret:parley-dev-richpanel-webhook-AbCdEf",
        h, h[:26], h[:40], h[:12], f"evt:rp:{digits(random, 5)}:c-{digits(random, 5)}",
        f"evt:rp:{digits(random, 5)}:{h}", f"act:rp_reply:{digits(random, 5)}:{h}", f"Root=1-{h[:8]}-{h[8:32]}",
        f"graph_{digits(random, 6)}", f"worker.py:{random.randint(1, 400)} handler", f"sess_{h[:24]}",
        f"ticket {digits(random, 5)}", f"conversation {digits(random, 8, '123456789')}",
        f"id {digits(random, 8, '123456789')}",
        f"gid://shopify/Product/{digits(random, 9)}", f"phone_number_id 10654035{digits(random, 7)}",
        f"10.{random.randint(0, 255)}.{random.randint(0, 255)}.{random.randint(0, 255)}", "192.168.100.200",
        f"MSG#{wamid}", f"CONV#{h[:24]}", f"{n}.dkr.ecr.us-east-1.amazonaws.com",
        f"ticket {digits(random, 10, '23456789')}",
        f"v{random.randint(1, 9)}.{random.randint(0, 99)}.{random.randint(0, 9999)}",
        f"react@18.{random.randint(0, 9)}.0", f"{h[:7]} fix the lamp",
        f"2026/03/02/[$LATEST]{h[:32]}", f"i-0{h[:16]}", f"s3://parley-media/media/{made}.jpg", f"Account {n}",
    ])  # fmt: skip


def words(random: Random) -> str:
    end = random.choice(["", ".", "!", " please", " :(", "\nthanks", " (again)", "??"])
    begin = random.choice(["", "Hi, ", "hello\n", "Well - ", "Also: "])
    return begin + random.choice(WORDS) + end


LEFT_ALONE: dict[str, tuple[int, Callable[[Random], tuple[str, str]]]] = {
    "price": (200, stays(price)),
    "date": (200, stays(date)),
    "time": (150, stays(time_of_day)),
    "quantity": (200, stays(quantity)),
    "model name": (200, stays(model)),
    "id, hash, ARN": (300, stays(technical_id)),
    "plain words": (250, stays(words)),
}
