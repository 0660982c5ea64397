from tests.unit.console.pages.company import Company
from tests.unit.console.pages.test_long_list import kept
def test_mem(opened, pages):
    company = Company(rows=50, messages=300)
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    log = page.get_by_role("log", name="Messages")
    log.get_by_text("line 299.", exact=True).wait_for()
    session = page.context.new_cdp_session(page)
    def update() -> None:
        company.versions["k0"] = company.versions.get("k0", 1) + 1
        with page.expect_response(lambda one: "/whatsapp/conversations/k0?" in one.url):
            network.hint("whatsapp", "k0", company.versions["k0"])
    for r in range(6):
        for _ in range(50): update()
        print(r, kept(session), len(network.calls))
