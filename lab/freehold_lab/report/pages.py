"""What all pages have in common: how their templates are filled, and the style that these include."""

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def environment(package: str) -> Environment:
    """Returns what fills the templates of a package."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("freehold_lab.report", "page")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
