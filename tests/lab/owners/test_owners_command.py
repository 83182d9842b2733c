"""`./freehold owners`: what is read, what is written, and that each fault is one clear line."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from freehold_lab import cli
from freehold_lab.errors import LabError
from freehold_lab.owners import command, repeating, units
from freehold_lab.owners.answers import report as reports
from freehold_lab.owners.answers import saving, taking
from freehold_lab.setup import environment
from made_up import a_full_report, a_report, asked

LEAKING = """
#include <memory>

struct Child;
struct Parent { std::shared_ptr<Child> child; };
struct Child { std::shared_ptr<Parent> parent; };

int main(int count, char**) {
    for (int i = 0; count > 1 && i < 7; ++i) {
        auto parent = std::make_shared<Parent>();
        parent->child = std::make_shared<Child>();
        parent->child->parent = parent;
    }
    return 3;
}
"""


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def taken(monkeypatch):
    """Every process is of this report."""

    def give(report):
        monkeypatch.setattr(command, "_read", lambda process, most: None)
        monkeypatch.setattr(taking, "take", lambda image, who="": report)

    return give


@pytest.fixture
def sleeping():
    process = subprocess.Popen(["sleep", "1000"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def fault(capsys):
    def of(*arguments):
        assert cli.main(["owners", *map(str, arguments)]) == 2
        captured = capsys.readouterr()
        (line,) = captured.err.splitlines()
        assert captured.out == ""
        return line.removeprefix("freehold: ")

    return of


def save(name, report):
    Path(name).write_bytes(reports.write(report))
    return name


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "owners needs a process, a core, or --at-exit -- PROGRAM"),
        (["1", "2"], "owners reads one process or core"),
        (["999999999"], "there is no process 999999999"),
        (["9" * 5000], "there is no process 9999"),
        (["nothing"], "nothing cannot be read: No such file or directory"),
        (["."], ". cannot be read: Is a directory"),
        ([""], ". cannot be read: Is a directory"),
        (["text"], "text is no core file"),
        (["empty"], "empty is no core file"),
        (["truncated"], "truncated is truncated or damaged"),
        ([sys.executable], "is a program or library, and no core file"),
        (["1", "--most", "much"], "much is no size"),
        (["1", "--every", "0m"], "0m is no time to wait"),
        (["1", "--every", "10m", "--json", "file"], "--every reads a process, and names the reports itself"),
        (["core", "--every", "10m"], "--every reads a process"),
        (["1", "--children"], "--children are those of a program that --at-exit runs"),
        (["1", "--sysroot", "/"], "--sysroot is for a core"),
        (["--at-exit"], "owners needs"),
        (["--at-exit", "--every", "10m", "--", "ls"], "--at-exit reads a program once"),
        (["--at-exit", "--json", "-", "--", "ls"], "--json - would be mixed with what the program prints"),
        (["--at-exit", "--children", "--output", ".", "--", "./nothing"], "./nothing cannot be started"),
        (["--at-exit", "--", "./nothing"], "./nothing cannot be started: No such file or directory"),
        (["1", "--output", "nowhere/page.html"], "there is no folder nowhere"),
        (["1", "--output", "."], "cannot write .: it is no file"),
        (["1", "--output", "text"], "text is left as it is"),
        (["1", "--json", "text"], "text is left as it is"),
        (["1", "--json", "/dev/null"], "it is no file"),
        (["1", "--json", "text/file"], "Not a directory"),
        (["--diff", "a.json", "nothing"], "cannot read nothing: No such file or directory"),
        (["--diff", "a.json", "text"], "text is no report of owners"),
        (["--diff", "a.json", "future.json"], "future.json is a report of version 2; this command reads 1"),
        (["--diff", "a.json", "a.json", "--output", "text"], "text is left as it is"),
        (["1", "--diff", "a.json", "a.json"], "--diff compares two reports"),
        (["--diff", "a.json"], "requires 2 arguments"),
    ],
)
def test_a_fault_is_one_line(fault, arguments, part):
    Path("text").write_text("a text")
    Path("empty").touch()
    Path("truncated").write_bytes(b"\x7fELF\2\1\1")
    save("a.json", a_report())
    save("future.json", a_report(version=2))
    assert part in fault(*arguments)


def test_what_cannot_be_written_is_told_before_a_process_is_stopped(fault, monkeypatch):
    monkeypatch.setattr(command, "_read", lambda *_: pytest.fail("read"))
    assert "no folder" in fault(os.getpid(), "--output", "nowhere/page.html")


def test_a_process_gives_a_page_beside_nothing_else(taken, capsys):
    taken(a_report())
    assert cli.main(["owners", "4711"]) == 0
    assert capsys.readouterr().out.endswith("the page: owners-4711.html\n")
    assert os.listdir() == ["owners-4711.html"]


def test_all_is_in_forty_lines(taken, capsys):
    taken(a_full_report())
    assert cli.main(["owners", "4711"]) == 0, "a leak is no fault"
    assert len(capsys.readouterr().out.splitlines()) <= 40


def test_json_is_written_for_the_user_alone(taken):
    taken(a_report(asked=[asked()]))
    for _ in range(2):
        assert cli.main(["owners", "4711", "--who", "Session", "--json", "r.json"]) == 0
    assert reports.read(Path("r.json")) == a_report(asked=[asked()])
    assert stat.S_IMODE(Path("r.json").stat().st_mode) == 0o600
    assert os.listdir() == ["r.json"], "the page is not asked for"


def test_json_can_be_printed(taken, capsys):
    taken(a_report())
    assert cli.main(["owners", "4711", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["source"] == "process 4711"
    assert os.listdir() == []


def test_both_can_be_written(taken):
    taken(a_report())
    assert cli.main(["owners", "4711", "--json", "r.json", "--output", "p.html"]) == 0
    assert sorted(os.listdir()) == ["p.html", "r.json"]


def test_what_has_grown_is_told(capsys):
    save("old.json", a_report(leaks=[]))
    save("new.json", a_report())
    assert cli.main(["owners", "--diff", "old.json", "new.json"]) == 0
    assert "+5.7 MiB" in capsys.readouterr().out
    assert Path("owners-difference.html").exists()


def test_a_link_is_not_followed(tmp_path):
    Path("link").symlink_to("elsewhere")
    with pytest.raises(LabError, match="it is a link that leads nowhere"):
        saving.check(Path("link"), saving.PAGE)
    with pytest.raises(LabError, match="File exists"):
        saving.create(Path("link"), b"")
    assert os.listdir() == ["link"]


@pytest.fixture(scope="module")
def leaking(tmp_path_factory):
    folder = tmp_path_factory.mktemp("leaking")
    source, program = folder / "leaking.cpp", folder / "leaking"
    source.write_text(LEAKING)
    subprocess.run([environment.compilers()[0].path, "-std=c++20", source, "-o", program], check=True)
    return program


def test_a_program_is_run_to_its_end(leaking, capfd):
    assert cli.main(["owners", "--at-exit", "--json", "r.json", "--", str(leaking), "leak"]) == 0
    captured = capfd.readouterr()
    assert " ".join(captured.out.split()).count("7 times") == 1
    assert captured.err == f"freehold: {leaking} ended with 3\n"
    (leak,) = reports.read(Path("r.json")).leaks
    assert (leak.grade, leak.types, leak.count) == ("leaked", {"Child": 7, "Parent": 7}, 7)


def test_a_program_without_leaks_gives_a_report_of_none(leaking):
    assert cli.main(["owners", "--at-exit", "--json", "r.json", "--", str(leaking)]) == 0
    assert reports.read(Path("r.json")).leaks == []


def test_a_fault_in_a_report_lets_the_program_end(leaking, capfd):
    assert cli.main(["owners", "--at-exit", "--who", "Nobody", "--", str(leaking), "leak"]) == 2
    assert capfd.readouterr().err.splitlines() == [
        f"freehold: {leaking} ended with 3",
        "freehold: no object has a type whose name contains Nobody",
    ]


def test_an_address_that_no_memory_has_is_one_line(leaking, capfd):
    assert cli.main(["owners", "--at-exit", "--who", "f" * 20, "--", str(leaking), "leak"]) == 2
    assert capfd.readouterr().err.splitlines()[1:] == [
        "freehold: ffffffffffffffffffff is not in an object that is owned together"
    ]


def test_each_child_has_a_report(leaking):
    script = f"{leaking}; {leaking} leak; true"
    assert cli.main(["owners", "--at-exit", "--children", "--json", "r.json", "--", "sh", "-c", script]) == 0
    assert sorted(len(reports.read(each).leaks) for each in Path().glob("r-*.json")) == [0, 0, 1]


def test_a_process_is_read_until_it_ends(sleeping, capsys):
    times = iter(range(3))

    def take():
        if next(times) == 2:
            sleeping.kill()
        return a_report()

    repeating.keep(sleeping.pid, 1, take)
    kept = sorted(Path().glob(f"owners-{sleeping.pid}-*T*Z.json"))
    assert [reports.read(each) for each in kept] == [a_report()] * 3
    assert {stat.S_IMODE(each.stat().st_mode) for each in kept} == {0o600}
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == [
        f"process {sleeping.pid} has ended",
        f"what has grown: freehold owners --diff {kept[0]} {kept[-1]}",
    ]


def test_ctrl_c_keeps_what_there_is(sleeping):
    def take():
        if os.listdir():
            raise KeyboardInterrupt
        return a_report()

    repeating.keep(sleeping.pid, 1, take)
    assert len(os.listdir()) == 1


def test_a_later_fault_ends_nothing(sleeping, capsys):
    times = iter(range(3))

    def take():
        match next(times):
            case 1:
                raise LabError("no memory just now")
            case 2:
                sleeping.kill()
        return a_report()

    repeating.keep(sleeping.pid, 1, take)
    assert "no memory just now" in capsys.readouterr().err
    assert len(os.listdir()) == 2


def test_a_first_fault_is_the_answer(sleeping):
    def take():
        raise LabError("not this one")

    with pytest.raises(LabError, match="not this one"):
        repeating.keep(sleeping.pid, 1, take)


def test_waiting_ends_with_the_process(sleeping):
    began = time.monotonic()

    def take():
        sleeping.kill()
        return a_report()

    repeating.keep(sleeping.pid, 1000, take)
    assert time.monotonic() - began < 100


@pytest.mark.parametrize(("text", "bytes"), [("500M", 500 << 20), ("8g", 8 << 30), ("1", 1), ("2GiB", 2 << 30)])
def test_sizes(text, bytes):
    assert units.byte_count(text) == bytes


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5G", "G", "1X", "٣G", "9" * 99])
def test_no_sizes(text):
    with pytest.raises(LabError):
        units.byte_count(text)


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("20d", 1_728_000)])
def test_times(text, seconds):
    assert units.duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0s", "10", "m", "-1m", "21d", "1 h"])
def test_no_times(text):
    with pytest.raises(LabError):
        units.duration(text)
