"""The snapshot of a heap, read, divided among paths, and drawn as a page."""

import json
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from freehold_lab import cli
from freehold_lab.errors import LabError
from freehold_lab.heap import page, paths, retained, snapshot
from freehold_lab.report import boxes as picture
from freehold_lab.setup import environment

INCLUDE = Path(__file__).parents[2] / "include"
PROGRAM = r"""
#include <freehold/diagnosis/collection_timeline.hpp>
#include <freehold/diagnosis/dominator_tree.hpp>
#include <freehold/diagnosis/traced_snapshot.hpp>

#include <vector>

template <auto letter>
struct image { std::vector<char> pixels; };
struct list { freehold::traced_ptr<list> next; freehold::traced_ptr<image<'"'>> picture; };

int main(int, char** arguments) {
    freehold::traced_heap_options options;
    options.on_collection = freehold::collection_timeline(arguments[1]);
    freehold::traced_heap heap(options);
    freehold::traced_root<list> root;
    for (int i = 0; i < 3; ++i) root = heap.make<list>(root, heap.make<image<'"'>>(std::vector<char>(1000)));
    (void)heap.make<list>(nullptr, nullptr);
    const freehold::heap_snapshot snapshot = freehold::snapshot_of(heap);
    freehold::write_json(snapshot, freehold::dominator_tree(snapshot), stdout);
    heap.collect();
    heap.collect_young();
}
"""


def data(**changed):
    """A root holds A #1, which leads to a list of B #2 and B #3; these lead to C #4 and back to A. C #5 is garbage."""
    return {
        "format": "freehold heap snapshot",
        "version": 1,
        "heap": "traced_heap",
        "types": [{"name": name, "bytes": size} for name, size in (("A", 16), ("B", 32), ("C", 64))],
        "roots": [{"kind": "traced_root", "number": 1, "object": 1}],
        "objects": {"type": [0, 1, 1, 2, 2], "external_bytes": [0, 0, 0, 1000, 0], "pointers": [1, 2, 1, 0, 0]},
        "targets": [2, 3, 1, 4],
        **changed,
    }


def with_dominators(**changed):
    """The same with its dominators: the list retains C #4, which both of its nodes could lead to."""
    columns = {**data()["objects"], "pointers": [2, 2, 2, 0, 0], "dominators": [0, 1, 1, 1, 0]}
    return data(objects={**columns, **changed}, targets=[2, 3, 1, 4, 4, 3])


@pytest.fixture
def saved(tmp_path):
    """Writes a snapshot and returns its path."""

    def save(content, name="heap.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return save


@pytest.fixture
def content(saved):
    def read(**changed):
        return paths.content(snapshot.read(saved(data(**changed))))

    return read


def test_held_objects_are_counted_by_type(content):
    assert content().census == {
        "A": paths.Count(1, 16),
        "B": paths.Count(2, 64),
        "C": paths.Count(1, 64, 1000, garbage=1),
    }


def test_types_of_one_name_are_one_line(content):
    types = [{"name": name, "bytes": 16} for name in ("A", "A", "C")]
    assert content(types=types).census["A"] == paths.Count(3, 48)


def test_a_root_of_a_session_says_so(saved):
    roots = [{"kind": "traced_local", "number": 2, "session": 3, "object": 1}]
    assert snapshot.read(saved(data(roots=roots))).roots[0].name == "traced_local 2 of session 3"


def test_objects_are_where_the_shortest_path_leads(content):
    places = content().places()
    assert [" ".join(path) for path in places] == [
        "",
        "traced_root",
        "traced_root A",
        "traced_root A B",
        "traced_root A B C",
    ]
    assert places["traced_root", "A", "B"].objects == 2, "a list is one place"
    assert places["traced_root", "A", "B"].all_bytes == 64 + 1064
    assert places[()].all_objects == 4


def test_a_long_list_is_one_place(content):
    n = 5000
    long = content(
        objects={"type": [0] * n, "external_bytes": [0] * n, "pointers": [1] * (n - 1) + [0]},
        targets=list(range(2, n + 1)),
    )
    assert long.places()["traced_root", "A"].objects == n


def test_what_has_grown_comes_first(content):
    before = content(objects={"type": [0, 1, 1, 2, 2], "external_bytes": [0] * 5, "pointers": [1, 2, 1, 0, 0]})
    after = content()
    assert page.lines(before, after)[0].name == "C"
    assert page.grown(before, after) == [page.Grown(("traced_root", "A", "B", "C"), 0, 1000)]
    assert page.grown(after, after) == []


def test_the_picture_is_as_wide_as_the_bytes(content):
    boxes = picture.draw(page.part(content().top), page.GRAY_LINES)
    assert [each.text for each in boxes] == ["all objects", "traced_root", "A", "B", "C"]
    assert boxes[0].width == picture.WIDTH
    assert boxes[-1].width == pytest.approx(picture.WIDTH * 1064 / 1144)
    assert boxes[-1].title == "traced_root → A → B → C: 1 objects, 1.0 KiB"


def test_types_retain_what_their_objects_retain_together(saved):
    found = paths.content(snapshot.read(saved(with_dominators()))).retained
    assert found.by_type == {
        "A": retained.Amount(4, 16 + 64 + 1064),
        "B": retained.Amount(2, 64),
        "C": retained.Amount(1, 1064),
    }


def test_of_a_list_only_the_first_node_retains(saved):
    types, pointers = [0, 1, 1, 1, 2], [2, 1, 1, 1, 0]
    chain = with_dominators(type=types, external_bytes=[0] * 5, pointers=pointers, dominators=[0, 1, 2, 3, 1])
    chain["targets"] = [2, 5, 3, 4, 5]
    found = paths.content(snapshot.read(saved(chain))).retained
    assert [each.name for each in found.largest] == ["A #1", "B #2", "C #5"]
    assert found.by_type["B"] == retained.Amount(3, 96)


def test_dominators_and_referrers_of_an_object_are_found(saved):
    largest = paths.content(snapshot.read(saved(with_dominators()))).retained.largest
    assert [each.name for each in largest] == ["A #1", "C #4", "B #2", "B #3"]
    first, second = largest[:2]
    assert first.most_roots() == ["traced_root 1"]
    assert first.within == []
    assert first.most_referrers() == [("B #2", 1, 1)]
    assert second.within == [("A #1", retained.Amount(4, 1144))]
    assert second.own_bytes == second.retained.bytes == 1064
    assert second.most_referrers() == [("B #2", 2, 1), ("B #3", 1, 1)]


def test_many_referrers_of_a_type_are_one_line(saved):
    n = 100
    hub = data(
        objects={
            "type": [0] + [1] * n,
            "external_bytes": [0] * (n + 1),
            "pointers": [n] + [1] * n,
            "dominators": [0] + [1] * n,
        },
        targets=[*range(2, n + 2)] + [1] * n,
    )
    largest = paths.content(snapshot.read(saved(hub))).retained.largest
    assert len(largest) == retained.MOST_OBJECTS
    assert largest[0].most_referrers() == [("B", 1, n)]


def test_a_file_without_dominators_has_no_retained_sizes(saved, content):
    assert content().retained is None
    file = saved(data())
    assert cli.main(["heap", str(file)]) == 0
    assert "does not tell that" in _Page(file.with_suffix(".html").read_text()).text


def test_the_page_shows_what_objects_retain(saved, capsys):
    file = saved(with_dominators())
    assert cli.main(["heap", str(file)]) == 0
    assert "What would be freed with an object" in capsys.readouterr().out
    drawn = _Page(file.with_suffix(".html").read_text())
    assert drawn.open == []
    text = " ".join(drawn.text.split())
    assert "A #1 retains 1.1 KiB in 4 objects; itself 16 B from traced_root 1 from B #2, pointer 1" in text
    assert "C #4 retains 1.0 KiB in 1 object; itself 1.0 KiB within A #1 retains 1.1 KiB in 4 objects" in text


def test_an_empty_heap_has_a_page(saved, capsys):
    empty = {"type": [], "external_bytes": [], "pointers": []}
    file = saved(data(types=[], roots=[], targets=[], objects=empty))
    assert cli.main(["heap", str(file)]) == 0
    assert "the page" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{" * 100_000,
        data(format="other"),
        data(targets=[2, 3, 1, 6]),
        data(targets=[2, 3, 1, 0]),
        data(targets=[2, 3, 1]),
        data(types=[]),
        data(roots=[{"kind": "traced_root", "number": 1, "object": 9}]),
        data(objects={"type": [0], "external_bytes": [], "pointers": [1]}),
        data(objects={"type": [0, 1, 1, 2, -1], "external_bytes": [0] * 5, "pointers": [1, 2, 1, 0, 0]}),
        data(version=2),
        with_dominators(dominators=[0, 1, 1, 1]),
        with_dominators(dominators=[0, 1, 1, 6, 0]),
        with_dominators(dominators=[0, 3, 2, 1, 0]),
        with_dominators(dominators=[0, 1, 1, 4, 0]),
    ],
)
def test_other_files_are_refused_in_one_line(saved, capsys, content):
    assert cli.main(["heap", str(saved(content))]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(LabError, match=r"cannot read .*missing\.json: No such file"):
        snapshot.read(tmp_path / "missing.json")


class _Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        assert tag != "script"
        assert not {"src", "href"} & {name for name, _ in attributes}, "it needs no other file"
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_the_page_of_two_snapshots_says_what_has_grown(saved, capsys):
    few = saved(data(objects={"type": [0, 1, 1, 2, 2], "external_bytes": [0] * 5, "pointers": [1, 2, 1, 0, 0]}))
    many = saved(data(types=[{"name": "A<'\"', int&>", "bytes": 16}, *data()["types"][1:]]), "later.json")
    assert cli.main(["heap", str(few), str(many)]) == 0
    assert "C" in capsys.readouterr().out
    drawn = _Page(many.with_suffix(".html").read_text())
    assert drawn.open == []
    assert "What has grown in the traced_heap" in drawn.text
    assert "A<'\"', int&>" in drawn.text
    assert "→ B → C" in drawn.text


def test_what_a_program_writes_is_read(tmp_path, capsys):
    source, program, timeline = tmp_path / "heap.cpp", tmp_path / "heap", tmp_path / "timeline.json"
    source.write_text(PROGRAM)
    compiler = environment.compilers()[-1].path
    subprocess.run([compiler, "-std=c++20", f"-I{INCLUDE}", source, "-pthread", "-o", program], check=True)
    file = tmp_path / "heap.json"
    file.write_text(subprocess.run([program, timeline], capture_output=True, text=True, check=True).stdout)
    read = paths.content(snapshot.read(file))
    assert read.census["list"] == paths.Count(3, 48, garbage=1)
    assert read.census["image<'\"'>"] == paths.Count(3, 72, 3000)
    assert read.places()["traced_root", "list"].objects == 3
    assert read.retained.by_type["list"] == retained.Amount(6, 48 + 72 + 3000)
    assert [each.retained.objects for each in read.retained.largest] == [6, 1, 1, 1]
    events = json.loads(timeline.read_text())
    assert [each["name"] for each in events if each["ph"] == "X"] == ["full collection", "young collection"]
    assert all(each["ts"] > 0 and each["pid"] == each["tid"] == 1 for each in events)
