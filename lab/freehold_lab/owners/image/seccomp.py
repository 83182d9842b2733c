"""A filter of system calls that stops a program where it ends, and costs nearly nothing elsewhere."""

import ctypes
import platform
import struct

from freehold_lab.owners.image import registers

NO_NEW_PRIVILEGES = 38  # PR_SET_NO_NEW_PRIVS
CALL = {"x86_64": 317, "aarch64": 277}  # the system call seccomp
SET_FILTER, ALLOW_SPECULATION = 1, 4  # without the latter, old kernels make all of the program slower
NUMBER, ARCHITECTURE = 0, 4  # where the filter finds them
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06  # instructions of the filter
ALLOW, TRACE = 0x7FFF0000, 0x7FF00000

_c = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def install() -> bool:
    """Lets this process, and all that it begins, tell its tracer before it ends. Returns False if it cannot.

    Without a tracer, the program cannot end as it should. It can gain no rights from here on."""
    layout = registers.BY_NAME[platform.machine()]
    # An instruction: what it does, how many to skip if equal, if not equal, and a number.
    filter = (
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 0, 3, 0xC0000000 | layout.machine),
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 1, layout.leave),
        (RETURN, 0, 0, TRACE),
        (RETURN, 0, 0, ALLOW),
    )
    text = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *each) for each in filter))
    program = _Program(len(filter), ctypes.addressof(text))
    call = CALL[platform.machine()]
    if _c.prctl(NO_NEW_PRIVILEGES, *(ctypes.c_ulong(value) for value in (1, 0, 0, 0))):
        return False
    return int(_c.syscall(ctypes.c_long(call), SET_FILTER, ALLOW_SPECULATION, ctypes.byref(program))) == 0
