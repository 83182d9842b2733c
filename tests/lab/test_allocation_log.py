"""What a logging_resource wrote, read back."""

import subprocess

import pytest

from freehold_lab import allocation_log, cli, folders
from freehold_lab.errors import LabError

HEADER = "operation,block,bytes,alignment\n"
TWO_BLOCKS = "allocate,0x10,24,8\nallocate,0x40,100,16\n"


@pytest.fixture
def log(tmp_path):
    """Reads a log with these lines."""

    def read(lines, header=HEADER):
        path = tmp_path / "log.csv"
        path.write_text(header + lines)
        return allocation_log.read(path)

    return read


def advice(usage, path, resource):
    rows = allocation_log.section(usage, path).tables[2].rows
    return next(row.cells[0].text for row in rows if row.label == resource)


def test_blocks_and_bytes_are_counted(log):
    usage = log(TWO_BLOCKS + "deallocate,0x10,24,8\nallocate,0x10,1,1\nfail,,1000000,16\n")
    assert (usage.allocations, usage.frees, usage.failures) == (3, 1, 1)
    assert (usage.bytes_altogether, usage.most_bytes, usage.bytes_left) == (125, 124, 101)
    assert (usage.most_blocks, usage.blocks_left, usage.largest_alignment) == (2, 2, 16)


def test_last_in_first_out_allows_a_stack(log, tmp_path):
    usage = log(TWO_BLOCKS + "deallocate,0x40,100,16\ndeallocate,0x10,24,8\n")
    assert advice(usage, tmp_path, "stack_resource") == "every block is the latest when it is freed"


def test_another_order_does_not_allow_a_stack(log, tmp_path):
    usage = log(TWO_BLOCKS + "deallocate,0x10,24,8\ndeallocate,0x40,100,16\n")
    assert advice(usage, tmp_path, "stack_resource").startswith("no: ")


def test_what_a_monotonic_resource_would_hold_is_reported(log, tmp_path):
    usage = log("allocate,0x10,50,8\ndeallocate,0x10,50,8\n" * 4)
    assert "200 bytes at the end, 4.0 times" in advice(usage, tmp_path, "monotonic_resource")


def test_sizes_are_reported_by_powers_of_two(log, tmp_path):
    usage = log("".join(f"allocate,{block},{size},8\n" for block, size in enumerate([0, 1, 2, 17, 32, 33])))
    labels = {row.label: row.cells[0].text for row in allocation_log.section(usage, tmp_path).tables[1].rows}
    assert labels == {"up to 1 bytes": "2", "up to 2 bytes": "1", "up to 32 bytes": "2", "up to 64 bytes": "1"}


def test_an_empty_log_is_a_log(log, capsys, tmp_path):
    assert log("").allocations == 0
    assert cli.main(["log", str(tmp_path / "log.csv")]) == 0


@pytest.mark.parametrize(
    "line",
    ["allocate,0x10,many,8", "allocate,0x10", "fly,0x10,1,1", "deallocate,0x99,1,1", "allocate,0x10,1,"],
)
def test_a_line_that_is_no_call_is_named(log, line):
    with pytest.raises(LabError, match="log.csv, line 4: this is no call of a resource: "):
        log(f"{TWO_BLOCKS}{line}\n")


def test_another_file_is_no_log(log):
    with pytest.raises(LabError, match="is not a log of a logging_resource: it does not begin with operation,block"):
        log("", header="name,age\n")


def test_a_file_that_is_no_text_is_no_log(tmp_path):
    (tmp_path / "log.csv").write_bytes(b"\xff\xfe" * 100)
    with pytest.raises(LabError, match="is not a log of a logging_resource"):
        allocation_log.read(tmp_path / "log.csv")


def test_a_missing_log_is_reported(tmp_path):
    with pytest.raises(LabError, match="cannot read .*: No such file or directory"):
        allocation_log.read(tmp_path / "log.csv")


def test_what_a_program_logs_is_read(compile_file, tmp_path):
    program = compile_file(
        """
        #include <freehold/memory/containers.hpp>
        #include <freehold/memory/logging_resource.hpp>
        #include <fstream>
        int main(int, char** arguments) {
            std::ofstream file(arguments[1]);
            freehold::logging_resource memory(file);
            freehold::containers::list<int> numbers(&memory);
            for (int i = 0; i < 10; ++i) numbers.push_back(i);
        }
        """,
        "-std=c++20",
        f"-I{folders.ROOT / 'include'}",
    )
    subprocess.run([program, tmp_path / "log.csv"], check=True)
    usage = allocation_log.read(tmp_path / "log.csv")
    assert (usage.sizes, usage.frees, usage.blocks_left) == ({24: 10}, 10, 0)
