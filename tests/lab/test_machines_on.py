"""./freehold run --on, with workers in network namespaces of this machine, which stand for machines of their own."""

import fcntl
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from distributed import Client, LocalCluster

from freehold_lab import cli, folders, store
from freehold_lab.machines import checkout, fleet, on, remote
from freehold_lab.run import Request
from synthetic import TRUTHS, make_result

NAMES = ("anna", "berta", "clara")
# Stands in for ./freehold: its result names the machine, and on some it waits to be killed.
FAKE = """#!/usr/bin/env python3
import json, os, sys, time
from pathlib import Path
name, home = os.uname().nodename, Path.home()
(home / "pid").write_text(str(os.getpid()))
(home / "arguments").write_text(json.dumps(sys.argv[1:]))
(home / "changed").write_text(Path("changed").read_text())
assert not Path("untracked").exists()
print("measuring 3/7", file=sys.stderr, flush=True)
order = (home / "order").read_text()
if order == "wait":
    time.sleep(200)
if order == "fail":
    sys.exit("freehold: no compiler for C++20 was found")
result = json.loads(Path("result.json").read_text())
result["machine"]["processor"] = f"Example of {name}"
result["plan"] = name
Path("results").mkdir(exist_ok=True)
Path("results/latest.json").write_text("nothing" if order == "lie" else json.dumps(result))
"""


def ip(*arguments):
    return subprocess.run(["ip", *map(str, arguments)], capture_output=True, text=True)


def has_ended(pid):
    """Says whether a process has ended, whether or not its parent waits for it: process 1 of a container may not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A scheduler, and a worker in each of three namespaces; the first has two."""
    if not shutil.which("ip") or os.geteuid() != 0:
        pytest.skip("network namespaces take ip (iproute2) and root")
    folder = tmp_path_factory.mktemp("cluster")
    with ExitStack() as stack:
        scheduler = started(
            stack,
            [
                *dask("scheduler"),
                "--host",
                "0.0.0.0",
                "--port",
                "0",
                "--no-dashboard",
                "--scheduler-file",
                folder / "scheduler",
            ],
        )
        port = wait_for(lambda: json.loads((folder / "scheduler").read_text())["address"].rpartition(":")[2])
        homes, workers = {}, {}
        for number, name in enumerate((*NAMES, NAMES[0])):
            homes[name] = folder / name
            if name not in workers:
                homes[name].mkdir()
                make_namespace(stack, name, number)
            outside = f"198.18.{network(number % 3)}.1"
            inside = [
                *"ip netns exec".split(),
                namespace(name),
                *"unshare --uts sh -c".split(),
                'hostname "$0" && exec "$@"',
                name,
            ]
            options = ["--no-nanny", "--no-dashboard", "--nthreads", "2", "--local-directory", homes[name]]
            worker = [*inside, *dask("worker"), f"tcp://{outside}:{port}", *options]
            workers[name] = started(stack, worker, HOME=str(homes[name]), TMPDIR=str(homes[name]))
        with Client(f"tcp://127.0.0.1:{port}") as client:
            client.wait_for_workers(4, timeout=300)
        yield SimpleNamespace(address=f"tcp://127.0.0.1:{port}", homes=homes, workers=workers, scheduler=scheduler)


def dask(program):
    return [sys.executable, "-m", "distributed.cli.dask_" + program]


def namespace(name):
    return f"freehold-{os.getpid()}-{name}"


def network(number):
    """Of its own for each run of the tests: two may go on at once."""
    return (3 * os.getpid() + number) % 256


def make_namespace(stack, name, number):
    if ip("netns", "add", namespace(name)).returncode != 0:
        pytest.skip("network namespaces cannot be made here")
    stack.callback(ip, "netns", "delete", namespace(name))
    outside, inside = f"fh{os.getpid() % 10**6}{number}a", f"fh{os.getpid() % 10**6}{number}b"
    for command in (
        f"link add {outside} type veth peer name {inside} netns {namespace(name)}",
        f"address add 198.18.{network(number)}.1/30 dev {outside}",
        f"link set {outside} up",
        f"-netns {namespace(name)} address add 198.18.{network(number)}.2/30 dev {inside}",
        f"-netns {namespace(name)} link set {inside} up",
        f"-netns {namespace(name)} link set lo up",
    ):
        done = ip(*command.split())
        if done.returncode != 0:
            pytest.skip(f"ip {command}: {done.stderr.strip()}")
    stack.callback(ip, "link", "delete", outside)


def started(stack, command, **environment):
    process = subprocess.Popen(
        list(map(str, command)), env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def wait_for(found, seconds=120):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if value := found():
                return value
        except (OSError, ValueError):
            pass
        time.sleep(0.05)
    raise AssertionError("nothing came")


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A checkout whose ./freehold measures nothing."""
    tree = tmp_path_factory.mktemp("tree")
    (tree / "freehold").write_text(FAKE)
    (tree / "freehold").chmod(0o755)
    (tree / "changed").write_text("before")
    made = make_result([each for each in TRUTHS if each.name == "std_shared_ptr"], rounds=3, sizes=False)
    store.save(made, tree / "result.json")
    for command in ("git init --quiet", "git add ."):
        subprocess.run(command.split(), cwd=tree, check=True)
    (tree / "changed").write_text("after")
    (tree / "untracked").write_text("")
    return tree


@pytest.fixture
def run(cluster, tree, tmp_path, monkeypatch, capsys):
    """Runs on the cluster with an order for each machine; `meanwhile` is called in a thread of its own."""
    monkeypatch.setattr(folders, "ROOT", tree)
    for home in cluster.homes.values():
        (home / "order").write_text("")
        (home / "pid").unlink(missing_ok=True)

    def run(meanwhile=lambda: None, **orders):
        for name, order in orders.items():
            (cluster.homes[name] / "order").write_text(order)
        thread = threading.Thread(target=meanwhile)
        thread.start()
        code = cli.main(["run", "--on", cluster.address, "--quick", "--only", "pair", "--output", str(tmp_path)])
        thread.join()
        return code, capsys.readouterr(), {path.stem for path in tmp_path.glob("*.json")}

    run.output = tmp_path
    return run


def ended(cluster, name):
    """Whether the ./freehold of a machine is gone."""
    return has_ended((cluster.homes[name] / "pid").read_text())


def test_each_machine_brings_its_result_once(cluster, run):
    code, said, results = run()
    assert code == 0
    assert results == {*NAMES}
    processors = {store.load(run.output / f"{name}.json").machine.processor for name in NAMES}
    assert processors == {f"Example of {name}" for name in NAMES}
    assert (run.output / "merged.parquet").exists() and (run.output / "merged.html").exists()
    assert said.err.count("anna: started") == 1
    for home in cluster.homes.values():
        assert json.loads((home / "arguments").read_text()) == ["run", "--quick", "--only", "pair"]
        assert (home / "changed").read_text() == "after"


def test_what_fails_on_a_machine_is_told_in_a_line(run):
    code, said, results = run(berta="fail", clara="lie")
    assert code == 1
    assert results == {"anna"}
    assert "berta: no compiler for C++20 was found\n" in said.err
    assert "clara: " in said.err and "is not a result" in said.err


def test_an_earlier_result_of_a_machine_is_kept(run):
    assert run()[0] == 0
    assert run()[2] == {*NAMES, *(f"{name}-2025-01-01T12-00-00+00-00" for name in NAMES)}


def test_a_machine_does_one_run_at_a_time(cluster, run):
    with (cluster.homes["berta"] / "freehold.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, said, results = run()
    assert (code, results) == (1, {"anna", "clara"})
    assert "berta: another run is going on there" in said.err


@pytest.mark.parametrize(
    "scheduler, complaint",
    [
        ("tcp://127.0.0.1:1", "no scheduler answers at tcp://127.0.0.1:1"),
        ("nowhere", "no scheduler answers at nowhere"),
        ("slurm:many", "takes a number of jobs"),
    ],
)
def test_bad_input_is_one_line(tmp_path, capsys, monkeypatch, scheduler, complaint):
    monkeypatch.setattr(on, "PATIENCE", 0.2)
    assert cli.main(["run", "--on", scheduler, "--output", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert len(said.splitlines()) == 1


def test_a_scheduler_without_workers_is_told(tmp_path, capsys):
    with LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as empty:
        assert cli.main(["run", "--on", empty.scheduler_address, "--output", str(tmp_path)]) == 2
    assert "has no workers" in capsys.readouterr().err


def test_the_options_are_sent():
    request = Request(quick=True, size="large", count=False, workloads=("pair", "list"), compilers=("g++",))
    sent = "--quick --no-count --size large --only pair --only list --compiler g++"
    assert on.arguments(request) == sent.split()
    assert on.arguments(Request()) == []


def test_a_checkout_is_written_where_it_differs(tree, tmp_path):
    packed = checkout.archive(tree)
    remote.unpack(packed, tmp_path / "there", tmp_path / "files")
    assert {path.name for path in (tmp_path / "there").iterdir()} == {"freehold", "changed", "result.json"}
    assert os.access(tmp_path / "there/freehold", os.X_OK)
    os.utime(tmp_path / "there/freehold", (1, 1))
    (tmp_path / "there/changed").write_text("by hand")
    (tmp_path / "there/build").write_text("kept")
    (tmp_path / "files").write_text("freehold\nchanged\ngone")
    (tmp_path / "there/gone").write_text("")
    remote.unpack(packed, tmp_path / "there", tmp_path / "files")
    assert (tmp_path / "there/freehold").stat().st_mtime == 1
    assert (tmp_path / "there/changed").read_text() == "after"
    assert (tmp_path / "there/build").exists() and not (tmp_path / "there/gone").exists()


def test_without_git_all_but_what_is_built_is_sent(tmp_path):
    for name in ("build/a", "results/b", ".git/c", "lab/d"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    with tarfile.open(fileobj=io.BytesIO(checkout.archive(tmp_path))) as tar:
        assert tar.getnames() == ["lab/d"]


def test_progress_is_the_last_line_as_a_terminal_shows_it():
    assert remote.last_line(b"freehold: one\n\x1b[2Kmeasuring 1/9\r\x1b[2Kmeasuring 2/9\n\x1b[?25h") == "measuring 2/9"
    assert remote.last_line(b"freehold: nothing to do\n") == "nothing to do"
    assert remote.last_line(b"") == ""


def test_what_comes_back_is_limited(monkeypatch):
    assert fleet._unpacked(gzip.compress(b"result")) == b"result"
    assert fleet._unpacked(b"nonsense") == b""
    monkeypatch.setattr(store, "MOST_BYTES", 1000)
    assert fleet._unpacked(gzip.compress(bytes(10_000))) == b""


def test_an_interruption_keeps_what_has_arrived(cluster, run):
    def interrupt():
        wait_for(lambda: (cluster.homes["clara"] / "pid").exists() and len([*run.output.glob("*.json")]) == 2)
        os.kill(os.getpid(), signal.SIGINT)

    code, said, results = run(interrupt, clara="wait")
    assert (code, results) == (130, {"anna", "berta"})
    assert "without a result: clara" in said.err
    assert (run.output / "merged.parquet").exists()
    assert wait_for(lambda: ended(cluster, "clara"))


def test_a_worker_that_dies_loses_its_own_part_alone(cluster, run):
    def kill():
        wait_for(lambda: (cluster.homes["berta"] / "pid").exists())
        cluster.workers["berta"].kill()

    code, said, results = run(kill, berta="wait")
    assert (code, results) == (1, {"anna", "clara"})
    assert [line for line in said.err.splitlines() if "berta" in line][1:] == [
        "freehold: berta: lost: its worker is gone"
    ]
    assert wait_for(lambda: ended(cluster, "berta"))


SBATCH = """#!/bin/sh
cp "$1" "$HOME/job"
setsid sh "$HOME/job" >"$HOME/job.log" 2>&1 &
echo $! >"$HOME/job.pid"
echo "Submitted batch job 7"
"""
SCANCEL = """#!/bin/sh
kill -- "-$(cat "$HOME/job.pid")"
"""


def test_slurm_gives_machines_and_gets_them_back(tree, tmp_path, monkeypatch, capsys):
    import dask

    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "order").write_text("")
    monkeypatch.setattr(folders, "ROOT", tree)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    settings = {"cores": 1, "memory": "1GB", "job-extra-directives": ["--qos=low"], "python": sys.executable}
    with dask.config.set({f"jobqueue.slurm.{name}": value for name, value in settings.items()}):
        code = cli.main(["run", "--on", "slurm:1", "--output", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert code == 0, said
    assert (tmp_path / f"out/{os.uname().nodename}.json").exists()
    job = (tmp_path / "job").read_text()
    assert "#SBATCH --qos=low\n#SBATCH --exclusive\n" in job
    group = (tmp_path / "job.pid").read_text().strip()
    assert wait_for(lambda: has_ended(group))
