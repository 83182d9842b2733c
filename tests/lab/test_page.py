"""The page as a reader has it: in Chromium, by pointer and by keyboard, wide and narrow, in light and dark."""

import json
import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from pixelmatch.contrib.PIL import pixelmatch

from browser import browser, needs_chromium
from freehold_lab import statistics, store
from freehold_lab.model import Cell, Launch, Point, State
from freehold_lab.report.figures import STATE_NAMES
from freehold_lab.report.html import write
from synthetic import MEMORY_TRUTHS, OBJECT, TRUTHS, Truth, make_result

pytestmark = needs_chromium

WIDE, NARROW = {"width": 1400, "height": 900}, {"width": 400, "height": 800}
PICTURES = Path(__file__).parent / "pictures"
RENEW = "FREEHOLD_RENEW_PICTURES"  # set: the pictures are made anew
# Far from all others, like a pool that all threads lock.
SLOW = Truth("slow_pool", "slow pool", "allocators", 9000, 4000)
LEFT_OUT = ("dumb", "shared_ptr_new", "boost_shared_ptr", "linked_ptr")
SAVED = 4  # bytes that malloc adds to a block of its own, and that a managed pointer's lacks here
STRATEGIES = [
    *(truth._replace(control=-SAVED) if truth.name == "managed_ptr" else truth for truth in TRUTHS),
    *MEMORY_TRUTHS,
    SLOW,
]


class Reader:
    """Opens the page, and goes from view to view."""

    def __init__(self, chromium, path, heard, **choices):
        self.context = chromium.new_context(reduced_motion="reduce", **{"viewport": WIDE, **choices})
        self.page = self.context.new_page()
        self.page.set_default_timeout(100_000)
        self.page.on("request", lambda one: one.url.startswith(("file:", "blob:")) or heard.append(one.url))
        self.page.on("console", lambda said: said.type in ("error", "warning") and heard.append(said.text))
        self.page.on("pageerror", lambda error: heard.append(str(error)))
        self.page.on("dialog", lambda dialog: heard.append(dialog.message))
        self.page.goto(f"file://{path}")

    def goes_to(self, address):
        self.page.evaluate("address => { location.hash = address }", address)
        return self.waits()

    def waits(self):
        """Until what is chosen is drawn."""
        self.page.wait_for_function("() => document.documentElement.dataset.shows === location.hash")
        return self.page

    def chooses(self, **switches):
        for name, value in switches.items():
            self.page.select_option(f"[name={name}]", value=value)
        return self.waits()


@pytest.fixture(scope="module")
def result():
    return make_result([truth for truth in STRATEGIES if truth.name not in LEFT_OUT], rounds=3)


@pytest.fixture(scope="module")
def everything(result):
    """The result as JSON has it, with the findings of its page."""
    return result.model_copy(update={"findings": statistics.find(result)}).model_dump(mode="json")


@pytest.fixture(scope="module")
def file(result, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "latest.html"
    write(result, path)
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="module")
def heard():
    """Every request for another file, and all that pages complain of."""
    return []


@pytest.fixture(autouse=True)
def nothing_is_asked_of_the_network_and_nothing_complains(heard):
    yield
    said = heard.copy()
    heard.clear()
    assert said == []


@pytest.fixture(scope="module")
def reader(chromium, file, heard):
    return Reader(chromium, file, heard, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture
def new_reader(chromium, heard):
    readers = []

    def opened(path, **choices):
        readers.append(Reader(chromium, path, heard, **choices))
        return readers[-1]

    yield opened
    for each in readers:
        each.context.close()


def cells(page, column):
    """The texts of a column of the first table that is shown, without what is dim."""
    return page.eval_on_selector_all(
        "details.workload[open] .table tbody tr:not(.absent)",
        f"rows => rows.map(row => row.children[{column}].firstElementChild.textContent)",
    )


def figures(page, column):
    return [float(text.replace(",", "")) for text in cells(page, column)]


def test_it_decides_on_its_first_screen_and_is_short(reader):
    page = reader.goes_to("")
    assert page.evaluate("document.documentElement.scrollHeight") <= 8 * WIDE["height"]
    rows = page.locator(".needs:visible tbody > tr:not(.beside)")
    last = rows.last.bounding_box()
    assert rows.count() == 13
    assert last["y"] + last["height"] <= WIDE["height"]


def test_a_need_unfolds_to_its_other_candidates(reader):
    page = reader.goes_to("")
    more = page.locator(".needs:visible button.more").first
    others = page.locator(f"#{more.get_attribute('aria-controls')}")
    assert others.is_hidden()
    more.click()
    assert others.is_visible() and more.get_attribute("aria-expanded") == "true"
    assert others.locator("p").inner_text().startswith("Decided by Instantiation (N1851, Appendix A): make, move and ")
    assert others.locator("table").is_visible()
    more.click()
    assert others.is_hidden()


def test_a_need_leads_to_what_decides_it_and_back_to_where_it_was(reader):
    page = reader.goes_to("#compiler=clang%2B%2B-19")
    page.evaluate("scrollTo(0, 150)")
    link = page.locator(".needs:visible a.where", has_text="Larson").first
    assert link.inner_text().startswith("Larson's aging server: 16 to 64 bytes, ")
    link.click()
    page.wait_for_selector("#larson[open] figure")
    reader.waits()
    assert "compiler=clang" in page.url
    assert 0 <= page.locator("#larson").bounding_box()["y"] < WIDE["height"] / 2
    page.go_back()
    reader.waits()
    assert page.evaluate("scrollY") == 150
    assert page.locator("#larson[open]").count() == 0


def test_a_folded_row_says_what_1_is_and_names_its_dots(reader):
    page = reader.goes_to("")
    says = page.locator("#larson .reference")
    assert says.inner_text() == "1 = std::allocator (new)"
    page.locator("#larson summary").focus()
    page.keyboard.press("ArrowLeft")
    assert says.inner_text().endswith("slow pool")
    page.locator("#larson summary").blur()
    assert says.inner_text() == "1 = std::allocator (new)"
    assert page.locator("#larson .strip path").count() == 1, "what is beyond the strip is an arrowhead"


def test_a_folded_row_of_ties_states_no_result(reader):
    best = reader.goes_to("#find=make_local_shared&state=alone").locator("#containers .best")
    assert best.inner_text() == "nothing differs beyond the noise"
    best = reader.goes_to("").locator("#operations .best")
    assert best.locator("b:not(.tied)").inner_text().startswith("0.")


def test_a_filter_that_nothing_matches_says_so(reader):
    page = reader.goes_to("#open=pair&find=zzzz")
    assert page.locator("#pair .content").inner_text() == "No strategy here matches zzzz."
    assert page.locator("#larson .line").inner_text() == "No strategy here matches zzzz."


def test_bytes_that_are_saved_shorten_a_bar(reader):
    page = reader.goes_to("#open=data-size")
    assert "A control below 0 (managed): " in page.locator("#data-size figure").inner_text()
    bars = page.eval_on_selector_all("#data-size .mark-rect path", "all => all.map(bar => bar.__data__.datum)")
    own = {bar["part"]: (bar["from"], bar["to"]) for bar in bars if bar["strategy"] == "managed_ptr"}
    assert own == {"handle": (0, 32), "object": (32, 32 - SAVED + OBJECT)}


def test_few_lines_have_a_color(reader):
    page = reader.goes_to("#open=operations")
    strokes = page.eval_on_selector_all(
        "#operations figure:nth-child(2) .mark-line path", "all => all.map(line => line.getAttribute('stroke'))"
    )
    colored = [stroke for stroke in strokes if stroke != "var(--peer)"]
    assert len(strokes) > 6 >= len(colored) == len(set(colored)) > 2


def test_memory_over_time_is_a_line_for_each_strategy_above_what_is_used(reader):
    page = reader.goes_to("#open=survivors")
    figure = page.locator("#survivors figure").first
    assert "resident memory over time" in figure.locator("figcaption").inner_text()
    strokes = figure.locator(".mark-line path").evaluate_all("all => all.map(line => line.getAttribute('stroke'))")
    followed = [truth.label for truth in STRATEGIES if truth.takes_part("survivors")]
    assert len(set(strokes)) == len(strokes) == len(followed) and figure.locator(".mark-area path").count() == 1
    assert set(followed) <= set(figure.locator("text").all_text_contents())
    assert cells(page, 0) == followed


def test_memory_over_time_has_buttons_for_its_series_and_is_that_of_any_compiler(reader):
    page = reader.goes_to("#open=sparse")
    reader.chooses(compiler="clang++-19")
    page.locator("#sparse .series button", has_text="small").click()
    reader.waits()
    captions = page.locator("#sparse figcaption").all_inner_texts()
    assert [caption.split(":")[0] for caption in captions] == ["Small", "Small"]
    assert page.locator("#sparse h4").inner_text() == "Sparse buffers, small"
    assert page.locator("#sparse .best").inner_text().endswith("mimalloc")
    assert page.locator("#sparse .reference").inner_text() == "1 = std::allocator (new)"


def test_switches_change_what_is_shown_and_the_address_and_last(reader):
    page = reader.goes_to("#open=pair")
    title = page.locator("#pair h4")
    assert title.inner_text() == "Pair: g++-12, second thread started"
    reader.chooses(compiler="clang++-19", state="alone")
    assert title.inner_text() == "Pair: clang++-19, one thread"
    assert page.locator(".choice:visible").get_attribute("data-compiler") == "clang++-19"
    address = page.url
    page.reload()
    reader.waits()
    assert page.url == address
    assert title.inner_text() == "Pair: clang++-19, one thread"
    assert page.input_value("[name=state]") == "alone"
    page.go_back()
    reader.waits()
    assert title.inner_text() == "Pair: clang++-19, second thread started"
    assert page.input_value("[name=state]") == "threaded"


def test_the_size_and_the_series_are_chosen(reader):
    page = reader.goes_to("#open=queens&size=0")
    assert "n = 6" in page.locator("#queens h4").first.inner_text()
    reader.chooses(size="2")
    assert "n = 9" in page.locator("#queens h4").first.inner_text()
    page.locator("#queens .series button", has_text="modern").click()
    reader.waits()
    assert page.locator("#queens figcaption").first.inner_text().startswith("Modern, n = 9")


def test_a_link_to_a_workload_opens_it(reader):
    page = reader.goes_to("#rings")
    assert page.eval_on_selector_all("details.workload[open]", "all => all.map(one => one.id)") == ["rings"]


@pytest.mark.parametrize("address", ["#compiler=tcc&size=-1&open=nothing,%00", "#%%%", "#strategy=<b>nobody</b>"])
def test_an_address_that_means_nothing_does_no_harm(reader, address):
    page = reader.goes_to(address)
    assert page.input_value("[name=compiler]") == "g++-12"
    assert page.locator("main:visible").count() == 1
    assert page.locator("main b:text('nobody')").count() == 0
    assert page.locator("#notice").is_visible() == ("nobody" in address)
    assert page.locator("#use").is_visible()


def test_tables_sort_by_each_column(reader):
    page = reader.goes_to("#open=pair")
    given = figures(page, 1)
    heading = page.locator("#pair thead tr:last-child th").nth(1)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert figures(page, 1) == sorted(given) != given
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert figures(page, 1) == sorted(given)[::-1]
    heading.get_by_role("button").click()
    assert figures(page, 1) == given


def test_tables_and_charts_are_filtered_by_name_and_family(reader):
    page = reader.goes_to("#open=pair&find=MIMA")
    assert cells(page, 0) == ["mimalloc"]
    assert "concurrent pool" not in page.locator("#pair figure").text_content()
    page = reader.goes_to("#open=pair&family=ours")
    assert cells(page, 0) == ["pool", "concurrent pool"]


def test_what_is_typed_filters(reader):
    page = reader.goes_to("#open=pair")
    page.locator("[name=find]").press_sequentially("slow")
    page.wait_for_function("() => location.hash.includes('find=slow')")
    reader.waits()
    assert cells(page, 0) == ["slow pool"]


def test_tables_are_copied_with_whole_figures(reader):
    page = reader.goes_to("#open=pair")
    copied = []
    for name in ("Copy as CSV", "as Markdown"):
        page.locator("#pair .tools").get_by_text(name).click()
        page.wait_for_function("() => document.querySelector('#pair .tools').textContent.includes('Copied')")
        copied.append(page.evaluate("navigator.clipboard.readText()").splitlines())
    (head, *rows), (markdown_head, ruler, *markdown_rows) = copied
    ratio = "32 bytes ratio,32 bytes ratio low,32 bytes ratio high,32 bytes ratio tie"
    assert head == f"strategy,32 bytes ns,{ratio},32 bytes instr.,32 bytes locked"
    assert [row.split(",")[0] for row in rows] == cells(page, 0)
    assert re.fullmatch(
        r"mimalloc,1\d\.\d{2,4},0\.\d{4,6}(,0\.\d\d){2},no,90,0", next(row for row in rows if "mimalloc" in row)
    )
    assert markdown_head.startswith("| strategy | 32 bytes ns |") and ruler == "| --- | --: | --: | --: | --: |"
    assert any(row.startswith("| std::allocator (new) |") for row in markdown_rows)


def test_the_line_of_code_is_copied(reader):
    page = reader.goes_to("")
    line = page.locator(".needs:visible .write").nth(1)
    line.get_by_role("button").click()
    assert page.evaluate("navigator.clipboard.readText()") == line.locator("code").inner_text()


def test_everything_is_reached_by_keyboard(reader):
    page = reader.goes_to("#size=1")
    page.evaluate("document.activeElement.blur(), getSelection().empty(), scrollTo(0, 0)")

    def reach(selector, most=90):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"the keyboard does not reach {selector}")

    page.locator("[name=compiler]").focus()
    page.keyboard.press("c")
    reader.waits()
    assert "compiler=clang" in page.url
    reach("button.more")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("Enter")
    reach("#operations > summary")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('open=operations')")
    reader.waits()
    reach("#operations .chart")
    page.keyboard.press("ArrowDown")
    page.wait_for_selector("#operations path[opacity='0.12']")
    reach("#operations .sort")
    page.keyboard.press("Enter")
    assert page.locator("#operations [aria-sort=ascending]").count() == 1
    reach("#operations tbody a")
    page.keyboard.press("Enter")
    reader.waits()
    assert page.evaluate("document.activeElement.matches('#strategy h2')")
    reach("#strategy details > summary")
    page.keyboard.press("Enter")
    page.wait_for_selector("#strategy details[open] table")


@pytest.fixture
def phone(reader):
    reader.page.set_viewport_size(NARROW)
    reader.page.wait_for_timeout(300)  # until it has rested
    reader.waits()
    yield
    reader.page.set_viewport_size(WIDE)
    reader.page.wait_for_timeout(300)


def test_no_window_need_scroll_sideways(reader):
    page = reader.goes_to("")
    widths = (400, 768, 1000, 1200, 1201, 1400)
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        cut = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
        found.append(page.evaluate("document.documentElement.scrollWidth"))
        assert page.eval_on_selector_all(".needs td, .needs th", cut) == []
    page.set_viewport_size(WIDE)
    reader.waits()
    assert tuple(found) == widths


@pytest.mark.parametrize("address", ["#open=queens,data-size,heap-or-stack,survivors", "#strategy=shared_ptr"])
def test_a_phone_need_not_scroll_sideways(reader, phone, address):
    page = reader.goes_to(address)
    assert page.locator("main:visible figure svg").count() > 0
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW["width"]


def test_charts_follow_light_and_dark(reader):
    page = reader.goes_to("#open=pair")
    colors = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        mark = page.locator("#pair .mark-symbol path").first.evaluate("mark => getComputedStyle(mark).fill")
        colors.append((mark, page.evaluate("getComputedStyle(document.body).color")))
    page.emulate_media(color_scheme="light")
    (light_mark, light_text), (dark_mark, dark_text) = colors
    assert light_mark.startswith("rgb(") and light_mark != dark_mark and light_text != dark_text


def test_one_outlier_does_not_squeeze_the_others(reader):
    """It is a triangle at the end of the axis, its interval a small one; its figure stands beside the others'."""
    page = reader.goes_to("#open=larson")
    marks = page.eval_on_selector_all(
        "#larson figure:first-child .mark-symbol path",
        "all => all.map(mark => [mark.getBoundingClientRect().x, mark.getAttribute('d')])",
    )
    places = sorted(place for place, _ in marks)
    assert places[-2] - places[0] > 0.5 * (places[-1] - places[0])
    assert len({shape for _, shape in marks}) == 3
    texts = page.eval_on_selector_all("#larson figure:first-child text", "all => all.map(text => text.textContent)")
    assert "slow pool" in texts and any(float(text) > 100 for text in texts if re.fullmatch(r"\d+", text))


def test_a_name_in_a_chart_leads_to_its_strategy(reader):
    page = reader.goes_to("#open=pair")
    page.locator("#pair figure text", has_text="mimalloc").click()
    page.wait_for_function("() => location.hash.includes('strategy=mimalloc')")
    reader.waits()
    assert page.locator("#strategy h2").inner_text() == "mimalloc"


def leaves(record):
    """The texts of all values in a record, as JavaScript writes them."""
    if isinstance(record, dict):
        return [text for name, value in record.items() if name != "strategy" for text in leaves(value)]
    if isinstance(record, list):
        return [text for value in record for text in leaves(value)]
    if isinstance(record, bool):
        return [str(record).lower()]
    if isinstance(record, float):
        record = record if record == int(record) else float(f"{record:.6g}")
        return [str(int(record)) if record == int(record) else str(record)]
    return [] if record is None else [STATE_NAMES.get(record, str(record))]


@pytest.mark.parametrize("strategy", ["shared_ptr", "traced_ptr", "mimalloc"])
def test_a_strategy_s_view_has_every_figure_of_it(reader, everything, strategy):
    page = reader.goes_to(f"#strategy={strategy}")
    page.eval_on_selector_all("#strategy details", "all => all.forEach(fold => fold.open = true)")
    page.wait_for_function(
        "() => [...document.querySelectorAll('#strategy details')].every(fold => fold.children.length > 1)"
    )
    there = set(
        page.eval_on_selector_all(
            "#strategy :is(td, th, dd, pre)", "all => all.flatMap(one => one.textContent.trim().split(/\\n|, | \\w+$/))"
        )
    )
    text = page.locator("#strategy").text_content()
    lists = [each for each in (*everything.values(), *everything["findings"].values()) if isinstance(each, list)]
    own = [
        record
        for record in (each for records in lists for each in records if isinstance(each, dict))
        if strategy in (record.get("strategy"), record.get("cell", {}).get("strategy"))
    ]
    figures = [figure for record in own for figure in leaves(record)]
    assert len(figures) > 500
    assert [figure for figure in figures if figure not in there and figure not in text] == []


def test_strategies_of_every_kind_have_a_view(reader, result):
    for strategy in result.strategies[::4]:
        page = reader.goes_to(f"#strategy={strategy.name}")
        assert page.locator("#strategy h2").inner_text().startswith(strategy.label)
    page.locator(".back").click()
    reader.waits()
    assert page.locator("#report").is_visible()


def test_machine_code_is_side_by_side(reader):
    page = reader.goes_to("#open=heap-or-stack&find=mimalloc")
    (fold,) = page.locator("#heap-or-stack details").all()
    fold.locator("summary").click()
    assert fold.locator("summary").inner_text() == "Machine code: mimalloc"
    assert fold.locator("pre").count() == 4
    assert "call mimalloc::allocate<list>()" in fold.inner_text()


def test_the_result_is_saved_as_it_was(reader, result, tmp_path):
    page = reader.goes_to("")
    with page.expect_download() as download:
        page.locator("#save").click()
    download.value.save_as(tmp_path / "saved.json")
    assert store.load(tmp_path / "saved.json").launches == result.launches


def test_without_scripts_it_says_what_to_use_and_how_it_was_measured(new_reader, file):
    page = new_reader(file, java_script_enabled=False).page
    assert page.locator(".needs:visible caption").all_inner_texts() == [
        "Built with g++-12, second thread started",
        "Built with clang++-19, second thread started",
    ]
    assert "need JavaScript" in page.locator("#report").inner_text()
    page.locator("#method summary").first.click()
    assert page.get_by_text("in random order").is_visible()
    assert page.locator("#toolbar, details.workload, button.copy").filter(visible=True).count() == 0


def test_whatever_a_result_says_is_text(new_reader, result, tmp_path):
    attack = "<img src=x onerror=alert(1)></script><script>alert(2)</script>\"'`${1}\u202e=1+1"
    strategies = [
        each.model_copy(update={"label": attack, "note": attack, "family": attack}) if each.name == "mimalloc" else each
        for each in result.strategies
    ]
    cell = Cell(workload="pair", compiler="g++-12", strategy="mimalloc", state=State.ALONE)
    values = [float("nan"), float("inf"), 1e308, -1.0]
    # What a file cannot bring: the page does not rely on that.
    odd = [Point.model_construct(series=attack, x=10**30, nanoseconds=value) for value in values]
    launches = [*result.launches, Launch.model_construct(round=99, cell=cell, checksum=attack, points=odd)]
    path = tmp_path / "odd.html"
    write(result.model_copy(update={"strategies": strategies, "launches": launches, "notes": [attack]}), path)
    reader = new_reader(path)
    page = reader.goes_to("#open=pair&state=alone")
    assert attack in page.locator("#pair .content").text_content()
    assert attack in page.locator(".remarks").text_content()
    page = reader.goes_to("#strategy=mimalloc")
    assert page.locator("#strategy h2").text_content() == f"{attack} · mimalloc"
    page.locator("[data-list=launches] summary").click()
    page.wait_for_selector("[data-list=launches] table")
    assert "1e+308" in page.locator("[data-list=launches]").text_content()
    assert page.locator("img").count() == 0


def test_a_result_of_version_0_1_opens(new_reader, tmp_path):
    text = make_result(TRUTHS[:12], rounds=3).model_dump_json()
    (tmp_path / "old.json").write_text(text.replace('"family":"traced"', '"family":"collection"'))
    write(store.load(tmp_path / "old.json"), tmp_path / "old.html")
    page = new_reader(tmp_path / "old.html").goes_to("#strategy=traced_ptr")
    assert page.locator("#strategy h2.ours").inner_text() == "traced · traced_ptr"


@pytest.mark.parametrize("address", ["#open=operations,data-size", "#strategy=shared_ptr"])
def test_it_can_be_read_by_everybody(reader, address):
    """All but the colors: test_colors.py looks at those, in a thousandth of the time."""
    page = reader.goes_to(address)
    report = Axe().run(page, options={"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}})
    assert report.violations_count == 0, report.generate_report()


@pytest.mark.parametrize(
    ("name", "address", "scheme", "size", "part"),
    [
        ("wide", "", "light", WIDE, ""),
        ("dark", "", "dark", WIDE, ""),
        ("narrow", "", "light", NARROW, ""),
        ("ratios", "#open=larson", "light", WIDE, "#larson figure:first-child"),
        ("scaling", "#open=operations", "light", WIDE, "#operations figure:nth-child(2)"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isalpha() else "",
)
def test_it_looks_as_it_did(reader, tmp_path, name, address, scheme, size, part):
    page = reader.goes_to(address)
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.activeElement.blur(), scrollTo(0, 0)")
    page.mouse.move(0, 0)
    taken = tmp_path / f"{name}.png"
    (page.locator(part) if part else page).screenshot(path=taken)
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    picture = Image.open(taken).convert("P", palette=Image.Palette.ADAPTIVE, colors=64)
    if os.environ.get(RENEW):
        picture.save(PICTURES / taken.name, optimize=True)
    before = Image.open(PICTURES / taken.name)
    assert before.size == picture.size, f"{taken} is not as large as {PICTURES / taken.name}"
    different = pixelmatch(before.convert("RGBA"), picture.convert("RGBA"), threshold=0.2)
    # The letters of Debian 13 differ from those of Debian 12 in 0.6 %.
    assert different <= 0.008 * before.size[0] * before.size[1], f"{taken} differs from {PICTURES / taken.name}"


def test_the_page_is_small(file, everything):
    """What is not the result: the chart library, the scripts, and the tables. The result: a fifth of its JSON."""
    page = file.read_text()
    packed = re.search(r'id="result">([^<]*)<', page)[1]
    assert len(page) - len(packed) < 800_000
    assert len(packed) < 0.2 * len(json.dumps(everything))
