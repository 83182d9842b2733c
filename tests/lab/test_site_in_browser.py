"""The site as a browser shows it from file://: anybody can read it, it fits, and its search finds members."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from browser import browser, needs_chromium

pytestmark = needs_chromium

WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 400, "height": 800}
PAGES = ["index.html", "guide/which-pointer.html", "pointers/shared_ptr.html", "reference/pointers/linked_ptr.html"]
# Material's own landmarks, of code blocks and of the navigation, have no names. test_site.py looks at the colors.
OPTIONS = {"rules": {name: {"enabled": False} for name in ("landmark-unique", "color-contrast")}}


@pytest.fixture(scope="module")
def page(built_site, tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as started:
        page = started.new_page(viewport=WIDE, base_url=built_site.as_uri() + "/")
        page.requested = []
        page.on("request", lambda request: page.requested.append(request.url))
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        yield page


@pytest.fixture
def go(page, built_site):
    def to(name):
        page.goto(f"{built_site.as_uri()}/{name}")
        return page

    yield to
    assert page.faults == []
    assert [url for url in page.requested if not url.startswith(("file:", "data:", "about:"))] == []


@pytest.mark.parametrize("name", PAGES)
def test_it_can_be_read_by_everybody(go, name):
    report = Axe().run(go(name), options=OPTIONS)
    assert report.violations_count == 0, report.generate_report()


@pytest.mark.parametrize("name", PAGES)
def test_it_fits_a_telephone(go, name):
    page = go(name)
    page.set_viewport_size(NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.set_viewport_size(WIDE)


def test_search_finds_a_member_and_leads_to_it(go):
    page = go("index.html")
    page.keyboard.press("/")
    page.keyboard.type("use_count")
    result = page.locator(".md-search-result__link[href*='reference/pointers/linked_ptr.html']").first
    result.click()
    assert "reference/pointers/linked_ptr.html" in page.url
    assert page.locator("h1").inner_text().startswith("linked_ptr.hpp")


def test_a_question_is_answered_by_a_click_on_its_row(go):
    page = go("guide/which-pointer.html")
    words = page.locator("td", has_text="one place").first.bounding_box()
    page.mouse.click(words["x"] + 5, words["y"] + words["height"] / 2)
    page.wait_for_url("**/which-pointer.html#one-owner", timeout=100_000)
