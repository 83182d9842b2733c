"""Finds the process that is meant, and says why one cannot be read and what helps. Each cause has a line of its own."""

import os
import pwd
import shlex
import struct
import sys
from pathlib import Path

from freehold_lab.errors import LabError
from freehold_lab.owners.image import registers

MAY_TRACE = 1 << 19  # the capability CAP_SYS_PTRACE
PROC = Path("/proc")
ALL_USERS = ["0", "0", "4294967295"]  # the uid_map of the first user namespace
CONTAINER = (Path("/.dockerenv"), Path("/run/.containerenv"))


def check(given: int, proc: Path = PROC) -> int:
    """Returns the number of the process here, which may be given as in its own container. Raises LabError if it is
    known before an attempt that the process cannot be read."""
    process = _here(given, proc)
    said = status(process, proc)
    state = said.get("State", "")[:1]
    if process == os.getpid():
        raise LabError(f"process {given} is this command itself")
    if state in ("Z", "X") and len(_names(proc / str(process) / "task")) < 2:
        parent = said.get("PPid")
        raise LabError(f"process {given} has ended (a zombie: its parent {parent} has not asked for its exit status)")
    if "VmSize" not in said and state not in ("Z", "X"):
        raise LabError(f"process {given} is a thread of the kernel, which has no memory of a program")
    tracer = int(said.get("TracerPid", 0))
    if tracer:
        raise LabError(
            f"process {given} is already traced by process {tracer} ({_name(proc, tracer)}), and only one can: end "
            "that, or take a core there (in gdb: gcore)"
        )
    _check_program(given, proc / str(process) / "exe")
    return process


def refusal(process: int, error: OSError, proc: Path = PROC) -> LabError:
    """Returns why the kernel has refused to trace the process, and what to do."""
    if isinstance(error, ProcessLookupError | FileNotFoundError):
        return LabError(f"process {process} has ended")
    said = status(process, proc)
    own = status("self", proc)
    what = f"process {process} cannot be read:"
    owner = int(said.get("Uid", "0").split()[0])
    if not int(own.get("CapEff", "0"), 16) & MAY_TRACE:
        if os.geteuid() == 0:
            return LabError(f"{what} this container may not trace; {_for_containers()}")
        if owner != os.geteuid():
            return LabError(f"{what} it belongs to {_user(owner)}; {_sudo()}")
        if _is_hidden(proc / str(process)):
            return LabError(f"{what} it has made itself not dumpable, as programs do that hold secrets; {_sudo()}")
    scope = _text(proc / "sys/kernel/yama/ptrace_scope").strip()
    if scope == "3":
        return LabError(f"{what} Yama forbids ptrace until the next boot (ptrace_scope is 3); let it write a core")
    if scope in ("1", "2") and not int(own.get("CapEff", "0"), 16) & MAY_TRACE:
        return LabError(f"{what} Yama lets only root trace it (kernel.yama.ptrace_scope is {scope}); {_sudo()}")
    if own.get("Seccomp", "0") != "0":
        return LabError(f"{what} a seccomp filter forbids ptrace here; {_for_containers()}")
    users = _text(proc / "self/uid_map").split()
    if users and users != ALL_USERS:
        return LabError(f"{what} this command is in a user namespace, whose rights end there: run it outside of that")
    reason = os.strerror(error.errno or 0)
    return LabError(f"{what} {reason}, perhaps by SELinux or AppArmor (see dmesg); take a core (gcore {process})")


def status(process: int | str, proc: Path = PROC) -> dict[str, str]:
    """Returns what /proc/PID/status says."""
    lines = (line.partition(":") for line in _text(proc / str(process) / "status").splitlines())
    return {name: value.strip() for name, _, value in lines}


def _here(given: int, proc: Path) -> int:
    said = status(given, proc)
    if said:
        return int(said.get("Tgid", given))
    inside = []
    for name in _names(proc):
        if name.isdigit():
            numbers = status(name, proc).get("NSpid", "").split()
            if len(numbers) > 1 and numbers[-1] == str(given):
                inside.append(int(name))
    if not inside:
        raise LabError(f"there is no process {given}, neither here nor in a container that is seen from here")
    if len(inside) > 1:
        several = ", ".join(f"{each} ({_name(proc, each)})" for each in inside)
        raise LabError(f"several containers have a process {given}: give its number here, one of {several}")
    return inside[0]


def _check_program(given: int, program: Path) -> None:
    try:
        with program.open("rb") as file:
            head = file.read(20)
    except OSError:
        return  # the kernel will refuse, too, and then it is said why
    if head[:4] == b"\x7fELF" and head[4] != 2:
        raise LabError(f"process {given} is a program of 32 bits; only those of 64 bits can be read")
    if head[:4] == b"\x7fELF" and struct.unpack_from("<H", head, 18)[0] not in registers.BY_MACHINE:
        raise LabError(f"process {given} is for another processor; only x86-64 and AArch64 can be read")


def _sudo() -> str:
    command = shlex.join([str(Path(sys.argv[0]).absolute()), *sys.argv[1:]])
    is_container = "KUBERNETES_SERVICE_HOST" in os.environ or any(each.exists() for each in CONTAINER)
    return f"try: sudo {command}" + (f"; if that fails, {_for_containers()}" if is_container else "")


def _for_containers() -> str:
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return "use: kubectl debug -it POD --image=IMAGE --target=CONTAINER --profile=general"
    return "start the container with: docker run --cap-add SYS_PTRACE; or run this on the host as root"


def _is_hidden(folder: Path) -> bool:
    """Says whether the files of a process belong to root although the process does not."""
    try:
        return (folder / "mem").stat().st_uid == 0 and folder.stat().st_uid != 0
    except OSError:
        return False


def _user(number: int) -> str:
    try:
        return f"the user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"the user {number}"


def _name(proc: Path, process: int) -> str:
    return _text(proc / str(process) / "comm").strip() or "?"


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
