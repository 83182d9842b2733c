"""`./freehold docs`: builds the site, or serves it."""

import logging
from pathlib import Path

from mkdocs.commands import build as mkdocs_build
from mkdocs.commands import serve as mkdocs_serve
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException

from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.site import links

CONFIGURATION = folders.ROOT / "mkdocs.yml"


class _Warnings(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(" ".join(record.getMessage().split()))


def build(folder: Path = folders.SITE, configuration: Path = CONFIGURATION) -> Path:
    """Builds the site in `folder` and returns its first page. Raises LabError if anything is wrong, such as a link."""
    warnings = _Warnings()
    log = logging.getLogger("mkdocs")
    log.addHandler(warnings)
    log.propagate = False
    try:
        mkdocs_build.build(load_config(str(configuration), site_dir=str(folder)))
    except MkDocsException as error:
        warnings.lines.append(str(error))
    finally:
        log.removeHandler(warnings)
    if warnings.lines:
        raise LabError("the site has faults: " + "; ".join(warnings.lines))
    return folder / "index.html"


def serve() -> None:
    """Serves the site, and builds it again when a page or a header changes, until Ctrl-C."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("mkdocs").setLevel(logging.INFO)
    others = [str(folders.ROOT / path) for path in (*links.PLACES, *links.SHOWN)]
    mkdocs_serve.serve(str(CONFIGURATION), watch=others)
