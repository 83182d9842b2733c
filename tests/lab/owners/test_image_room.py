"""A process is not read where there is too little memory for it."""

import pytest

from freehold_lab.errors import LabError
from freehold_lab.owners.image import room

MIB = 1 << 20
HERE = 4711


def system(root, free=10_000 * MIB, own="", theirs="", files=()):
    """Writes what the kernel says under `root`. `files` are in folders of cgroups."""
    contents = {
        "proc/meminfo": f"MemTotal: 99999999 kB\nMemAvailable: {free >> 10} kB\n",
        "proc/self/cgroup": own,
        f"proc/{HERE}/cgroup": theirs,
        **{f"sys/fs/cgroup/{name}": text for name, text in dict(files).items()},
    }
    for name, text in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def second(folder, limit, used, cache=0):
    """Returns the files of a group of the second version of cgroups."""
    return {
        f"{folder}memory.max": f"{limit}\n",
        f"{folder}memory.current": f"{used}\n",
        f"{folder}memory.stat": f"anon 1\ninactive_file {cache}\n",
    }


def first(folder, limit, used, cache=0):
    return {
        f"memory/{folder}memory.limit_in_bytes": f"{limit}\n",
        f"memory/{folder}memory.usage_in_bytes": f"{used}\n",
        f"memory/{folder}memory.stat": f"cache 1\ntotal_inactive_file {cache}\n",
    }


def test_there_is_room(tmp_path):
    room.check(HERE, 1000 * MIB, root=system(tmp_path, free=3300 * MIB))


def test_the_machine_may_have_too_little(tmp_path):
    with pytest.raises(LabError) as told:
        room.check(HERE, 1000 * MIB, root=system(tmp_path, free=3100 * MIB))
    assert str(told.value) == (
        "to read process 4711 takes about 3,200 MiB, and 3,100 MiB are free on this machine: run this outside of the "
        "container, or take a core (gcore -o core 4711) and read core.4711 on a larger machine"
    )


@pytest.mark.parametrize(
    ("lines", "files"),
    [
        ("0::/app\n", second("app/", 500 * MIB, 400 * MIB)),
        ("0::/app/part\n", second("app/", 500 * MIB, 400 * MIB) | second("app/part/", "max", 0)),
        ("0::/\n", second("", 500 * MIB, 400 * MIB)),
        ("0::/docker/1f\n", second("", 500 * MIB, 400 * MIB)),  # the path is that of the host
        ("5:cpu:/\n4:memory:/app\n0::/\n", first("app/", 500 * MIB, 400 * MIB)),
        ("4:cpu,memory:/docker/1f\n", first("", 500 * MIB, 400 * MIB)),
    ],
)
def test_the_own_cgroup_may_have_too_little(tmp_path, lines, files):
    with pytest.raises(LabError, match="takes about 230 MiB, and 100 MiB are free in the cgroup /"):
        room.check(HERE, 10 * MIB, root=system(tmp_path, own=lines, files=files))


@pytest.mark.parametrize("version", [first, second])
def test_what_files_take_is_free(tmp_path, version):
    lines = "0::/app\n" if version is second else "4:memory:/app\n"
    files = version("app/", 500 * MIB, 400 * MIB, cache=200 * MIB)
    room.check(HERE, 10 * MIB, root=system(tmp_path, own=lines, files=files))


@pytest.mark.parametrize("limit", [1 << 63, (1 << 63) - 4096])
def test_a_cgroup_may_have_no_limit(tmp_path, limit):
    room.check(HERE, 10 * MIB, root=system(tmp_path, own="4:memory:/a\n", files=first("a/", limit, 1 << 40)))


def test_what_was_swapped_comes_back_in_the_process_s_cgroup(tmp_path):
    root = system(tmp_path, theirs="0::/app\n", files=second("app/", 500 * MIB, 450 * MIB))
    room.check(HERE, 100 * MIB, brought_in=40 * MIB, root=root)
    with pytest.raises(LabError, match="50 MiB are free in the cgroup /app"):
        room.check(HERE, 100 * MIB, brought_in=60 * MIB, root=root)


def test_this_machine_says_something():
    assert 0 < room.available(room.Path("/")) < room.NO_LIMIT
