"""What lived over the time of the program, as a picture."""

from typing import Any

from freehold_lab.advise.analysis.summary import Summary

MIB = 1 << 20
LOOK: dict[str, Any] = {
    "background": None,
    "config": {
        "font": "sans-serif",
        "view": {"stroke": None},
        "axis": {"labelColor": "var(--faint)", "titleColor": "var(--faint)", "gridColor": "var(--rule)"},
    },
}


def draw(summary: Summary, seconds: float) -> str:
    """Returns it as SVG."""
    import vl_convert

    points = [
        {"time": seconds * at / len(summary.timeline), "live": most / MIB}
        for at, (most, _) in enumerate(summary.timeline)
    ]
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        **{"width": 880, "height": 160, **LOOK},
        "data": {"values": points},
        "mark": {"type": "area", "interpolate": "step-after", "color": "var(--line-0)", "opacity": 0.6},
        "encoding": {
            "x": {"field": "time", "type": "quantitative", "title": "seconds", "axis": {"grid": False}},
            "y": {"field": "live", "type": "quantitative", "title": "MiB alive at most"},
        },
    }
    return str(vl_convert.vegalite_to_svg(spec))
