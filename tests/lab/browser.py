"""A browser for the tests of what ./freehold writes for one: Debian's Chromium, driven by Playwright."""

import os
import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium")
OPTIONS = [
    *("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb"),
    *("--in-process-gpu", "--js-flags=--no-opt"),  # a quarter less processor time
]
needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="chromium is not installed")


# Only these fonts, whatever else is installed: pictures of pages are compared.
FONTS = """\
<fontconfig>
  <dir>/usr/share/fonts/truetype/liberation</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <cachedir>{cache}</cachedir>
</fontconfig>
"""


@contextmanager
def browser(folder):
    """Starts a browser, which keeps its settings in `folder`."""
    fonts = folder / "fonts.conf"
    fonts.write_text(FONTS.format(cache=folder / "fonts"))
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] * (os.geteuid() == 0)
        started = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=OPTIONS + sandbox,
            env={**os.environ, "FONTCONFIG_FILE": str(fonts)},
        )
        yield started
        started.close()
