"""The pages of catalogs and payments, in three languages: what a provider offers, and what it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console.browser import barriers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Call, Refusal
from tests.unit.console.pages.whatsapp.account import ACTION, INDIAN, NUMBER, PHONE, WABA

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Answered

CATALOG = "800000000000000"
PRODUCT = {
    "retailerId": "b-1", "name": "City bike", "price": 50000, "currency": "INR",
    "availability": "in_stock", "category": "Bikes", "url": "https://shop.example.com/b-1",
}  # fmt: skip
CATALOG_WORDS = {
    "en-GB": ("Show the products of Bikes", "Read again from Meta", "₹500.00", "Undo"),
    "de-DE": ("Produkte von Bikes zeigen", "Neu von Meta lesen", "500,00", "Rückgängig"),
    "ar-EG": ("المنتجات:", "القراءة من Meta مجددًا", "500.00", "تراجع"),
}
PAYMENT_WORDS = {
    "en-GB": ("Create at Meta", "Active", "Ask Meta"),
    "de-DE": ("Bei Meta anlegen", "Aktiv", "Meta fragen"),
    "ar-EG": ("إنشاء لدى Meta", "مفعّل", "سؤال Meta"),
}


def numbers(*found: dict[str, Any]) -> Answered:
    return lambda _: Answer({"numbers": list(found)})


def is_narrow(page: Page) -> bool:
    page.set_viewport_size({"width": 320, "height": 640})
    return bool(page.evaluate("document.documentElement.scrollWidth") <= 320)


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in CATALOG_WORDS])
def test_products_of_a_catalog_are_read_again_and_what_customers_see_is_changed_and_undone(
    opened: Opened, pages: Path, locale: str
) -> None:
    show, refresh, price, undo = CATALOG_WORDS[locale]
    seen = {"isCartEnabled": False, "isCatalogVisible": True}
    asked: list[bool] = []

    def products(call: Call) -> Answer:
        asked.append(call.input["refresh"])
        found = {"catalogId": CATALOG, "products": [PRODUCT] if asked[-1] else []}
        return Answer(found | ({"syncedAt": at(0)} if asked[-1] else {}))

    def change(call: Call) -> Answer:
        assert call.input["phone"] == PHONE
        given = {name: value for name, value in call.input.items() if name != "phone"}
        seen.update(given)
        return Answer(given)

    catalog = {"catalogId": CATALOG, "name": "Bikes", "productCount": 1}
    answers: dict[str, Answered] = {
        "GET /whatsapp/numbers": numbers(NUMBER),
        f"{ACTION}get_connected_catalogs": lambda _: Answer({"catalogs": [catalog]}),
        f"{ACTION}get_catalog_products": products,
        f"{ACTION}get_commerce_settings": lambda _: Answer(seen),
        f"{ACTION}update_commerce_settings": change,
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/catalogs")
    page.get_by_role("button", name=show).click()
    page.get_by_role("button", name=refresh).click()
    row = page.get_by_role("row").filter(has_text="b-1")
    expect(row).to_contain_text(price)
    assert asked == [False, True]

    cart = page.get_by_role("checkbox").nth(1)
    expect(cart).not_to_be_checked()
    cart.click()
    expect(cart).to_be_checked()
    assert seen["isCartEnabled"] is True
    assert barriers(page) == []
    page.get_by_role("button", name=undo).click()
    expect(cart).not_to_be_checked()
    assert seen == {"isCartEnabled": False, "isCatalogVisible": True}
    assert is_narrow(page)


@pytest.mark.parametrize("part", ["catalogs", "payments"])
def test_an_account_without_a_token_of_meta_reads_that_it_is_not_supported_and_why(
    opened: Opened, pages: Path, part: str
) -> None:
    at_aws = INDIAN | {"provider": "eum"}
    refusal = lambda _: Refusal(409, "not_configured")  # noqa: E731 - two routes have this answer
    answers: dict[str, Answered] = {
        "GET /whatsapp/numbers": numbers(at_aws),
        f"{ACTION}get_connected_catalogs": refusal,
        f"{ACTION}get_payment_configurations": refusal,
    }
    page = opened(Company().network(pages, "acme:admin", **answers), f"operations/{part}")
    expect(page.locator(".notice")).to_contain_text("no access token of Meta")
    expect(page.locator("form")).to_have_count(0)


def test_payments_of_an_account_without_an_indian_number_are_not_supported_and_say_why(
    opened: Opened, pages: Path
) -> None:
    network = Company().network(pages, "acme:admin", **{"GET /whatsapp/numbers": numbers(NUMBER)})
    page = opened(network, "operations/payments")
    expect(page.locator(".notice")).to_contain_text("Indian numbers (+91) only")
    assert not [route for route in network.routes() if "payment" in route]


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in PAYMENT_WORDS])
def test_a_configuration_is_corrected_made_connected_and_active_when_meta_says_so(
    opened: Opened, pages: Path, locale: str
) -> None:
    create, active, ask = PAYMENT_WORDS[locale]
    made: list[dict[str, Any]] = []
    given: list[Any] = []

    def onboard(call: Call) -> Answer | Refusal:
        given.append(call.input)
        if call.input["mcc"] == "0000":
            return Refusal(400, "invalid_input", {"mcc": "is required"})
        view = {"tenantId": "acme", "configName": call.input["configurationName"], "type": "PG"}
        made.append(view | {"status": "pending", "mcc": "4722", "problems": []})
        return Answer(made[0] | {"oauthUrl": "https://gateway.example/connect"})

    def verify(call: Call) -> Answer:
        assert call.input == {"metaWabaId": WABA, "configurationName": "shop"}
        made[0] |= {"status": "active", "statusRaw": "Active", "lastValidatedAt": at(0)}
        return Answer(made[0])

    answers: dict[str, Answered] = {
        "GET /whatsapp/numbers": numbers(INDIAN),
        f"{ACTION}get_payment_configurations": lambda _: Answer({"configurations": made}),
        f"{ACTION}meta_payment_onboarding": onboard,
        f"{ACTION}verify_payment_configuration": verify,
    }
    page = opened(Company().network(pages, "acme:admin", **answers), "operations/payments")
    form = page.locator("form")
    form.locator("input[maxlength='60']").fill("shop")
    form.locator("input[maxlength='4']").fill("0000")
    form.locator("input[maxlength='5']").fill("03")
    form.get_by_role("button", name=create).click()
    expect(form.locator(".field").filter(has=page.locator("input[maxlength='4']"))).to_contain_text(
        {"en-GB": "required", "de-DE": "fehlt", "ar-EG": "مطلوب"}[locale]
    )
    expect(form.locator("input[maxlength='60']")).to_have_value("shop")  # what was entered is kept
    form.locator("input[maxlength='4']").fill("4722")
    form.get_by_role("button", name=create).click()
    expect(form.get_by_role("link")).to_have_attribute("href", "https://gateway.example/connect")
    assert barriers(page) == []
    row = page.get_by_role("row").filter(has_text="shop")
    row.get_by_role("button", name=ask).click()
    expect(row).to_contain_text(active)
    assert is_narrow(page)
    assert given[1]["paymentGateway"] == "razorpay"
    assert "upiId" not in given[1]


UPLOAD_WORDS = {
    "en-GB": ("Connect a catalog", "Upload products", "Upload 2", "Row 3", "accepted 1"),
    "de-DE": ("Katalog verbinden", "Produkte hochladen", "2 hochladen", "Zeile 3", "1 angenommen"),
    "ar-EG": ("وصل كتالوج", "رفع منتجات", "رفع", "الصف", "قبلت Meta"),
}
HEADING = "name;retailer_id;price;currency;image_url;description"
BIKE = 'City bike;b-1;500,00;EUR;https://shop.example/1.jpg;"Red; with ""bell"""'
LAMP = "Lamp;l-1;1200;JPY;https://shop.example/2.jpg;"


class Commerce:
    """An account without a catalog at first."""

    def __init__(self) -> None:
        self.catalogs: list[dict[str, Any]] = []
        self.given: list[Any] = []

    def connect(self, call: Call) -> Answer:
        self.given.append(call.input)
        catalog = {"catalogId": call.input["catalogId"], "name": "Bikes", "productCount": 0}
        self.catalogs.append(catalog)
        return Answer(catalog)

    def disconnect(self, call: Call) -> Answer:
        self.given.append(call.input)
        self.catalogs.clear()
        return Answer({"done": True})

    def upload(self, call: Call) -> Answer:
        self.given.append(call.input)
        refused = [{"retailerId": "l-1", "problems": ["image_link: cannot be read"]}]
        done = {"catalogId": CATALOG, "productCount": 1, "accepted": 1, "refusedCount": 1}
        return Answer(done | {"refused": refused})

    def answers(self) -> dict[str, Answered]:
        return {
            "GET /whatsapp/numbers": numbers(NUMBER),
            f"{ACTION}get_connected_catalogs": lambda _: Answer({"catalogs": self.catalogs}),
            f"{ACTION}get_commerce_settings": lambda _: Answer({}),
            f"{ACTION}connect_catalog": self.connect,
            f"{ACTION}disconnect_catalog": self.disconnect,
            f"{ACTION}upload_catalog": self.upload,
        }


def table(page: Page, *rows: str) -> None:
    content = "\r\n".join([HEADING, *rows]).encode()
    page.locator("input[type=file]").set_input_files(
        {"name": "products.csv", "mimeType": "text/csv", "buffer": content}
    )


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in UPLOAD_WORDS])
def test_a_catalog_is_connected_and_its_products_uploaded_after_a_look_at_them(
    opened: Opened, pages: Path, locale: str
) -> None:
    connect, upload, send, third, accepted = UPLOAD_WORDS[locale]
    commerce = Commerce()
    network = Company().network(pages, "acme:admin", **commerce.answers())
    page = opened(network, "operations/catalogs")
    form = page.get_by_role("form", name=connect)
    form.get_by_role("textbox").fill(CATALOG)
    form.get_by_role("button", name=connect).click()
    expect(page.get_by_role("row").filter(has_text="Bikes")).to_be_visible()
    assert commerce.given == [{"metaWabaId": WABA, "catalogId": CATALOG}]

    page.get_by_text(upload, exact=True).first.click()
    products = page.get_by_role("form", name=upload)
    table(page, BIKE, LAMP.replace("1200", "12.5"))
    expect(products.get_by_role("alert")).to_contain_text(third)
    expect(products.locator("button[type=submit]")).to_be_disabled()
    table(page, BIKE, LAMP)
    assert is_narrow(page)
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(products.locator("button[type=submit]")).to_contain_text(send)
    products.locator("button[type=submit]").click()
    expect(products).to_contain_text(accepted)
    expect(products).to_contain_text("image_link: cannot be read")
    sent = commerce.given[-1]
    assert (sent["metaWabaId"], sent["catalogId"]) == (WABA, CATALOG)
    assert [(one["retailerId"], one["price"]) for one in sent["products"]] == [
        ("b-1", 50_000),
        ("l-1", 1_200),
    ]
    assert sent["products"][0]["description"] == 'Red; with "bell"'
    assert barriers(page) == []


def test_the_connection_of_a_catalog_and_its_end_can_be_undone(opened: Opened, pages: Path) -> None:
    commerce = Commerce()
    network = Company().network(pages, "acme:admin", **commerce.answers())
    page = opened(network, "operations/catalogs")
    form = page.get_by_role("form", name="Connect a catalog")
    form.get_by_role("textbox").fill(CATALOG)
    form.get_by_role("button", name="Connect a catalog").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("No catalog is connected")).to_be_visible()
    commerce.connect(Call("", {}, {"catalogId": CATALOG}))
    page.reload()
    page.get_by_role("button", name="Disconnect Bikes").click()
    page.get_by_role("dialog").get_by_role("button", name="Disconnect", exact=True).click()
    expect(page.get_by_text("No catalog is connected")).to_be_visible()
    page.get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("row").filter(has_text="Bikes")).to_be_visible()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,price\nBike,1", "retailer_id, currency, image_url"),
        (f"{HEADING}\n", "no products"),
        (f'{HEADING}\n{BIKE}\n"Lamp;l-1', "Row 3: a quotation mark"),
        (f"{HEADING}\n{BIKE}\n{BIKE}", "is in the file twice"),
        (f"{HEADING}\n{BIKE.replace('https', 'http')}", "must begin with https://"),
        (f"{HEADING}\n{BIKE.replace('EUR', 'Euro')}", "three letters"),
        (f"{HEADING}\n{BIKE.replace('City bike', '')}", "name: is missing"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_with_its_row_and_nothing_is_sent(
    opened: Opened, pages: Path, text: str, said: str
) -> None:
    commerce = Commerce()
    commerce.catalogs.append({"catalogId": CATALOG, "name": "Bikes"})
    network = Company().network(pages, "acme:admin", **commerce.answers())
    page = opened(network, "operations/catalogs")
    page.get_by_text("Upload products", exact=True).first.click()
    page.locator("input[type=file]").set_input_files(
        {"name": "products.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    form = page.get_by_role("form", name="Upload products")
    expect(form.get_by_role("alert")).to_contain_text(said)
    expect(form.locator("button[type=submit]")).to_be_disabled()
    assert commerce.given == []
