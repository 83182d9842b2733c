"""The charts keep to the schema of Vega-Lite, and can be drawn; test_page.py looks at them with figures."""

import json

import altair
import pytest
import vl_convert

from freehold_lab.report.charts import templates

CHARTS = templates()
NAMED = {"strategy": "a", "label": "local", "full": "local · a", "href": "#", "ours": True, "color": "blue"}
DATA = {
    "ratios": {
        "rows": [
            {**NAMED, "shape": "circle", "at": 1, "low": 0.9, "high": 1.1, "value": "1.00", "interval": "0.90–1.10"}
        ],
        "beyond": [{**NAMED, "shape": "triangle-left", "at": 0.8}],
        "control": [{"low": 0.9, "high": 1.1}],
        "floors": [{"label": "raw", "at": 0.7}],
    },
    "scaling": {
        "points": [{**NAMED, "x": x, "y": x} for x in (1, 10)],
        "ends": [{**NAMED, "end": 10, "at": 10}],
    },
    "timelines": {
        "points": [{**NAMED, "x": x, "y": x} for x in (0, 10)],
        "used": [{"x": x, "y": x} for x in (0, 10)],
        "ends": [{**NAMED, "end": 10, "at": 10}],
    },
    "sizes": {"rows": [{**NAMED, "total": "24"}], "parts": [{**NAMED, "part": "handle", "from": 0, "to": 8}]},
}


def data_sets(chart):
    """The names of the data sets that a chart draws from."""
    found = {chart["data"]["name"]} if "data" in chart else set()
    return found.union(*(data_sets(layer) for layer in chart.get("layer", [])))


@pytest.mark.parametrize("name", CHARTS)
def test_it_keeps_to_the_schema(name):
    altair.Chart.from_dict(CHARTS[name], validate=True)


@pytest.mark.parametrize("name", CHARTS)
def test_it_is_drawn_with_the_data_sets_that_it_names(name):
    assert data_sets(CHARTS[name]) == set(DATA[name])
    svg = vl_convert.vegalite_to_svg(json.dumps({**CHARTS[name], "width": 300, "datasets": DATA[name]}))
    assert ">local</text>" in svg
    assert "NaN" not in svg


@pytest.mark.parametrize("name", CHARTS)
def test_it_holds_no_figures(name):
    assert "values" not in json.dumps([layer.get("data") for layer in CHARTS[name]["layer"]])
