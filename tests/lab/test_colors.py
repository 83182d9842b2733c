"""The page's colors can be told from what they are drawn on, in light and in dark, as WCAG's level AA asks."""

import re
from pathlib import Path

import pytest

from freehold_lab.report import html

STYLE = (Path(html.__file__).parent / "page" / "page.css").read_text()
TEXT, MARK = 4.5, 3.0
TEXTS = ["ink", "faint", "accent", "warn", *(f"line-{number}" for number in range(8))]


def colors(scheme):
    """The colors of the page by name; those of the dark page come second."""
    blocks = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[scheme == "dark"]))


def luminance(color):
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return sum(share * each for share, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_black_on_white_is_the_most():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_and_mark_stands_out(scheme):
    found = colors(scheme)
    for name in TEXTS:
        for ground in ("paper", "raised"):
            assert contrast(found[name], found[ground]) >= TEXT, (name, ground)
    for name in ("peer", "second"):
        assert contrast(found[name], found["paper"]) >= MARK, name


def test_both_schemes_have_the_same_names():
    assert colors("light").keys() == colors("dark").keys()
