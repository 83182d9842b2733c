"""Each reason for which a process cannot be read has a line of its own, which says what helps."""

import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.owners.image import live, ptrace, rights, stopping
from image_programs import WAIT, build, running

NOBODY = 65534
HERE = 4711
CODE = """
import os, sys
from freehold_lab.errors import LabError
from freehold_lab.owners.image import live
sys.argv = ["/opt/freehold", "owners", sys.argv[1]]
os.setgroups([])
os.setresgid(*3 * [65534])
os.setresuid(*3 * [65534])
try:
    print(len(live.read(int(sys.argv[2])).threads), "threads")
except LabError as error:
    print(error)
"""


def status(**lines):
    return "".join(f"{name}:\t{value}\n" for name, value in {"Uid": "0 0 0 0", "VmSize": "9 kB", **lines}.items())


@pytest.fixture
def proc(tmp_path, monkeypatch):
    """Writes files of /proc, of a process that anybody may trace."""
    monkeypatch.setattr(sys, "argv", ["/opt/my programs/freehold", "owners", "4711"])
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.setattr(rights, "CONTAINER", ())
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    def write(files):
        own = {f"{HERE}/status": status(Uid="1000 1000"), "self/status": status(Uid="1000 1000", CapEff="0")}
        for name, text in (own | files).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write


def refusal(proc):
    return str(rights.refusal(HERE, PermissionError(1, "Operation not permitted"), proc))


SUDO = "try: sudo '/opt/my programs/freehold' owners 4711"


def test_another_user(proc):
    told = refusal(proc({f"{HERE}/status": status(Uid="4242 4242")}))
    assert told == f"process 4711 cannot be read: it belongs to the user 4242; {SUDO}"


@pytest.mark.parametrize("scope", "12")
def test_yama(proc, scope):
    told = refusal(proc({"sys/kernel/yama/ptrace_scope": scope + "\n"}))
    assert f"Yama lets only root trace it (kernel.yama.ptrace_scope is {scope}); {SUDO}" in told


def test_yama_for_all(proc):
    assert "until the next boot" in refusal(proc({"sys/kernel/yama/ptrace_scope": "3\n"}))


def test_a_seccomp_filter(proc):
    told = refusal(proc({"self/status": status(CapEff="0", Seccomp="2")}))
    assert "a seccomp filter forbids ptrace here" in told and "docker run --cap-add SYS_PTRACE" in told


def test_root_without_the_capability(proc, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "this container may not trace" in refusal(proc({}))
    assert "docker run --cap-add SYS_PTRACE" in refusal(proc({}))


def test_kubernetes(proc, monkeypatch):
    folder = proc({})
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    told = refusal(folder)
    assert "kubectl debug -it POD --image=IMAGE --target=CONTAINER --profile=general" in told


def test_another_user_in_a_container(proc, monkeypatch):
    monkeypatch.setattr(rights, "CONTAINER", (Path("/"),))
    told = refusal(proc({f"{HERE}/status": status(Uid="4242 4242")}))
    assert f"{SUDO}; if that fails, start the container with: docker run --cap-add SYS_PTRACE" in told


def test_a_user_namespace(proc):
    assert "in a user namespace, whose rights end there" in refusal(proc({"self/uid_map": "0 1000 1\n"}))
    assert "user namespace" not in refusal(proc({"self/uid_map": "0 0 4294967295\n"}))


def test_a_security_module(proc):
    told = refusal(proc({}))
    assert "perhaps by SELinux or AppArmor" in told and "gcore 4711" in told


def test_a_process_that_has_ended(proc):
    assert str(rights.refusal(HERE, ProcessLookupError(3, "No such process"), proc({}))) == "process 4711 has ended"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({f"{HERE}/status": "Name:\tx\nState:\tS (sleeping)\n"}, "is a thread of the kernel"),
        ({f"{HERE}/status": status(TracerPid=12), "12/comm": "gdb\n"}, r"is already traced by process 12 \(gdb\)"),
        ({f"{HERE}/exe": b"\x7fELF\1" + b"\0" * 20}, "is a program of 32 bits"),
        ({f"{HERE}/exe": b"\x7fELF\2" + b"\0" * 13 + struct.pack("<H", 243)}, "is for another processor"),
    ],
)
def test_what_is_known_before(proc, files, told):
    with pytest.raises(LabError, match=f"process {HERE} {told}"):
        rights.check(HERE, proc(files))


def test_a_number_of_a_container(proc):
    folder = proc({"50/status": status(NSpid="50\t7"), "51/status": status(NSpid="51\t8")})
    assert rights.check(7, folder) == 50
    with pytest.raises(LabError, match="there is no process 9, neither here nor in a container"):
        rights.check(9, folder)


def test_a_number_of_several_containers(proc):
    files = {"50/status": status(NSpid="50\t7"), "51/status": status(NSpid="51\t7"), "51/comm": "web\n"}
    with pytest.raises(LabError, match=r"several containers have a process 7: .* 51 \(web\)"):
        rights.check(7, proc(files))


def test_a_number_of_a_thread(proc):
    assert rights.check(HERE, proc({f"{HERE}/status": status(Tgid=4700), "4700/status": status()})) == 4700


def test_the_command_itself():
    with pytest.raises(LabError, match="is this command itself"):
        live.read(os.getpid())


def test_a_zombie(tmp_path):
    with running(build(tmp_path, WAIT)) as program:
        program.process.send_signal(signal.SIGKILL)
        while stopping.living(program.pid):
            time.sleep(0.001)
        with pytest.raises(LabError, match=rf"has ended \(a zombie: its parent {os.getpid()} "):
            live.read(program.pid)


def test_one_that_is_traced(tmp_path):
    with running(build(tmp_path, WAIT)) as program:
        ptrace.seize(program.pid)
        try:
            with pytest.raises(LabError, match=f"already traced by process {os.getpid()} "):
                live.read(program.pid)
        finally:
            ptrace.interrupt(program.pid)
            ptrace.detach(program.pid, ptrace.wait(program.pid, None))


def by_nobody(pid):
    """Returns what the tool says when it runs without rights."""
    variables = os.environ | {"PYTHONPATH": str(folders.ROOT / "lab")}
    command = [sys.executable, "-c", CODE, str(pid)]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout.strip()


only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


@only_root
def test_no_rights_are_needed_for_the_own_processes():
    with running("sh", "-c", "echo ready; exec sleep 1000", user=NOBODY, group=NOBODY, extra_groups=[]) as program:
        told = by_nobody(program.pid)
    assert told == "1 threads" or "Yama" in told


@only_root
def test_the_kernel_refuses_another_user_s(tmp_path):
    with running(build(tmp_path, WAIT)) as program:
        told = by_nobody(program.pid)
    assert f"it belongs to the user root; try: sudo /opt/freehold owners {program.pid}" in told


@only_root
def test_the_kernel_refuses_what_is_not_dumpable():
    # As a process is that has become somebody else.
    become = f"import os; os.setresgid(*3 * [{NOBODY}]); os.setresuid(*3 * [{NOBODY}])"
    with running(sys.executable, "-c", f"{become}; print('ready', flush=True); os.read(0, 1)", stdin=-1) as started:
        told = by_nobody(started.pid)
    assert "it has made itself not dumpable" in told and "try: sudo /opt/freehold" in told
