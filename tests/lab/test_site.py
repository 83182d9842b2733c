"""The site as it is built: it works offline, nothing in it leads nowhere, and everybody can read it."""

import itertools
import json
import posixpath
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import markdown
import pytest
from lxml import html
from markdown_it import MarkdownIt

from browser import browser, needs_chromium
from freehold_lab import checking, folders
from freehold_lab.errors import LabError
from freehold_lab.site import build, headers, links

THEME = folders.ROOT / "lab" / "freehold_lab" / "site" / "theme" / "assets"
BLOCKS = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "pre")
HEADINGS = ("h1", "h2", "h3", "h4", "h5")


class Site:
    def __init__(self, folder):
        self.folder = folder
        # 404.html is shown at any address, so its links are absolute.
        paths = [path for path in folder.rglob("*.html") if path.name != "404.html"]
        self.pages = {path.relative_to(folder).as_posix(): html.parse(path).getroot() for path in paths}

    def content(self, name):
        (article,) = self.pages[name].xpath("//article")
        return article


@pytest.fixture(scope="module")
def site(built_site):
    return Site(built_site)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture
def shown(site, chromium):
    """Shows a page of the site in a window of that size."""
    windows = []

    def show(name, width=1400, height=900):
        windows.append(chromium.new_context(viewport={"width": width, "height": height}))
        page = windows[-1].new_page()
        page.goto(f"file://{site.folder}/{name}")
        return page

    yield show
    for window in windows:
        window.close()


@pytest.fixture
def small(tmp_path):
    """Builds a site of one page, as strictly as ours."""

    def make(text):
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "index.md").write_text(text)
        settings = (folders.ROOT / "mkdocs.yml").read_text()
        configuration = tmp_path / "mkdocs.yml"
        configuration.write_text(f"site_name: small\nplugins: []\n{settings[settings.index('validation:') :]}")
        return build.build(tmp_path / "out", configuration)

    return make


@pytest.mark.parametrize("link", ["nowhere.md", "#nowhere", "../outside.txt"])
def test_a_broken_link_fails(small, link):
    with pytest.raises(LabError, match=re.escape(link)) as fault:
        small(f"# Title\n[text]({link})\n")
    assert "\n" not in str(fault.value)


def test_a_good_link_does_not(small):
    assert small("# Title\n[text](#title)\n").exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](../memory/pmr.md#x)", '<a href="../memory/pmr.md#x">a</a>'),
        ("[a](../../include/freehold/memory/pmr.hpp)", '<a href="../reference/memory/pmr.md">a</a>'),
        (
            "`include/freehold/memory/pmr.hpp`,",
            '<a href="../reference/memory/pmr.md"><code>include/freehold/memory/pmr.hpp</code></a>,',
        ),
        ("[a](../../CONTRIBUTING.md#style)", '<a href="../contributing.md#style">a</a>'),
        ("[a](../../examples/README.md)", '<a href="../examples/index.md">a</a>'),
        ("[a](../decisions)", '<a href="../decisions/README.md">a</a>'),
        ("[a](../../tests/faults.md) b", "<span>a</span> b"),
        ("[a](../../tests)", "<span>a</span>"),
        ("[a](https://example.org/docs)", '<a href="https://example.org/docs">a</a>'),
        ("[a](nowhere.md)", '<a href="nowhere.md">a</a>'),
    ],
)
def test_a_link_of_the_repository_becomes_one_of_the_site(text, expected):
    extension = links.Links()
    extension.page = "docs/pointers/thin_ptr.md"
    pages = "memory/pmr.md reference/memory/pmr.md contributing.md decisions/README.md examples/index.md"
    extension.known = set(pages.split())
    assert markdown.markdown(text, extensions=[extension]) == f"<p>{expected}</p>"


def test_every_link_and_anchor_leads_somewhere(site):
    files = {path.relative_to(site.folder).as_posix() for path in site.folder.rglob("*")}
    ids = {name: set(page.xpath("//@id")) for name, page in site.pages.items()}
    wrong = []
    for name, page in site.pages.items():
        for link in set(page.xpath("//@href | //@src")):
            path, _, anchor = unquote(link).partition("#")
            there = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            if not link.startswith("https:") and (there not in files or (anchor and anchor not in ids[there])):
                wrong.append((name, link))
    assert wrong == []


def test_nothing_comes_from_a_network(site):
    loaded = "//script/@src | //img/@src | //iframe/@src | //link[@rel='stylesheet' or @rel='preconnect']/@href"
    found = [link for page in site.pages.values() for link in page.xpath(loaded)]
    assert len(found) > len(site.pages)
    assert [link for link in found if urlsplit(link).netloc] == []
    styles = [path.read_text() for path in site.folder.rglob("*.css")]
    remote = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*")
    assert [found for text in styles for found in remote.findall(text)] == []


def test_everything_is_in_the_navigation(site):
    reached = {link.partition("#")[0] or "index.html" for link in site.pages["index.html"].xpath("//nav//a/@href")}
    assert set(site.pages) <= reached | {"index.html"}


def test_pages_read_the_same_as_in_the_repository(site):
    """Markdown has dialects. Here, what belongs to an item of a list is indented by four."""
    parser = MarkdownIt().enable("table")
    pages = {
        path: str(Path(links.place(path.as_posix())).with_suffix(".html")).replace("README", "index")
        for path in checking.files(".md")
        if path != Path("README.md")
    }
    assert sum(name in site.pages for name in pages.values()) > 100
    for path, name in pages.items():
        if name not in site.pages:
            continue
        tokens = [token for token in parser.parse((folders.ROOT / path).read_text()) if token.nesting >= 0]
        expected = ["pre" if token.tag == "code" else token.tag for token in tokens]
        found = [element.tag for element in site.content(name).iter(*BLOCKS)]
        assert found == [tag for tag in expected if tag in BLOCKS], path


def test_a_page_and_its_reference_lead_to_each_other(site):
    documented = 0
    for header in headers.public():
        name = header.relative_to("freehold").with_suffix(".html").as_posix()
        guide, reference = site.pages.get(name), site.pages.get(f"reference/{name}")
        if guide is not None and reference is not None:
            assert f"../reference/{name}" in guide.xpath("//article//p[@class='header']/a/@href"), name
            assert f"../../{name}" in reference.xpath("//article//p[@class='header']/a/@href"), name
            documented += 1
    assert documented > 50
    assert not site.pages["index.html"].xpath("//article//p[@class='header']")  # there is no index.hpp


def test_search_finds_members(site):
    text = (site.folder / "search" / "search_index.js").read_text()
    found = {(each["title"], each["location"].partition("#")[0]) for each in json.loads(text.partition("=")[2])["docs"]}
    assert ("<code>use_count</code>", "reference/pointers/linked_ptr.html") in found
    assert ("<code>release</code>", "reference/memory/pool_resource.html") in found


def test_search_works_without_a_server(site):
    for page in site.pages.values():
        assert page.xpath("//script[contains(@src, 'assets/iframe-worker.js')]")


@needs_chromium
def test_search_shows_the_page_of_a_type_first(shown):
    page = shown("index.html")

    def first(word):
        page.fill(".md-search__input", word[:-1])
        page.type(".md-search__input", word[-1])  # it listens to keys
        page.locator(f".md-search-result__item a[href*='h={word}']").first.wait_for(state="attached")
        hits = page.eval_on_selector_all(
            ".md-search-result__item", "items => items.map(item => item.querySelector('a').href)"
        )
        return [re.split(r"[?#]", hit)[0].removeprefix(f"{page.url.rpartition('/')[0]}/") for hit in hits[:15]]

    page.click(".md-search__input")
    assert first("make_shared")[0] == "pointers/make_shared.html"
    found = first("lock")
    assert found[0] == "pointers/weak_ptr.html"
    assert "reference/pointers/weak_ptr.html" in found


@needs_chromium
def test_the_way_in_is_on_the_first_screen(shown):
    page = shown("index.html")
    page.locator("article h1").wait_for()
    program, installation = (part.bounding_box() for part in page.locator("div.start > div").all())
    assert installation["x"] > program["x"] + program["width"]
    card = page.locator("div.start + * tr").last.bounding_box()
    assert card["y"] + card["height"] < 900


@needs_chromium
@pytest.mark.parametrize("name", ["which-pointer", "which-memory"])
def test_the_whole_row_of_an_answer_leads_on(shown, name):
    page = shown(f"guide/{name}.html")
    row = page.locator("article tbody tr").first
    box = row.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 5, box["y"] + box["height"] / 2)
    page.wait_for_url(row.locator("a").evaluate("link => link.href"), timeout=100_000)


@needs_chromium
@pytest.mark.parametrize("name", ["index", "pointers/shared_ptr", "guide/from-std", "reference/pointers/shared_ptr"])
def test_nothing_is_wider_than_a_phone(shown, name):
    """Wide tables and code scroll within themselves."""
    page = shown(f"{name}.html", 400, 800)
    page.locator("article h1").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert page.evaluate("document.querySelectorAll('article :is(pre, table)').length") > 0
    wide = page.evaluate(
        """[...document.querySelectorAll('article *')]
            .filter(each => each.getBoundingClientRect().right > innerWidth)
            .filter(each => !each.parentElement.closest('.md-typeset__scrollwrap, pre > code'))
            .map(each => each.outerHTML)"""
    )
    assert wide == []
    assert page.evaluate("document.documentElement.scrollWidth") == 400


def test_a_screen_reader_finds_its_way(site):
    wrong = []
    for name, page in site.pages.items():
        levels = [int(heading.tag[1]) for heading in site.content(name).iter(*HEADINGS)]
        wrong += [(name, "no language")] * (page.get("lang") != "en")
        wrong += [(name, "no title")] * (not page.findtext("head/title"))
        wrong += [(name, "not one title", levels)] * (levels[:1] != [1] or levels.count(1) > 1)
        wrong += [(name, "a heading is skipped") for one, two in itertools.pairwise(levels) if two > one + 1]
        wrong += [(name, "an id twice", each) for each, times in Counter(page.xpath("//@id")).items() if times > 1]
        wrong += [(name, "an image") for _ in page.xpath("//img[not(@alt)]")]
        wrong += [(name, "a dialog without a name") for _ in page.xpath("//*[@role='dialog'][not(@aria-label)]")]
        wrong += [(name, "an empty head") for head in page.xpath("//article//th") if not head.text_content().strip()]
        wrong += [
            (name, "a link without a name", link.get("href"))
            for link in page.xpath("//a[@href] | //button")
            if not (link.text_content().strip() or link.get("title") or link.get("aria-label") or link.xpath(".//@alt"))
        ]
    assert wrong == []


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_text_has_contrast(scheme):
    """WCAG's 4.5 to 1, of every color of text on every color of paper."""
    style = (THEME / "freehold.css").read_text()
    rules = re.findall(rf'\[data-md-color-scheme="{scheme}"\] {{(.*?)}}', style, re.DOTALL)
    colors = dict(re.findall(r"--([\w-]+): (#\w{6});", "".join(rules)))
    texts = ["ink", "faint", "green", *(name for name in colors if name.startswith("md-code-hl"))]
    assert len(texts) > 8
    for paper, text in itertools.product(("paper", "raised", "wash"), texts):
        dark, light = sorted(luminance(colors[each]) for each in (paper, text))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, paper)
