"""Reports of no program, for what is told of them."""

from freehold_lab.owners.answers.report import FORMAT, VERSION, Asked, Leak, Owner, Report, Step, Type

LONG = "std::__detail::_Node<std::pair<std::string const, app::Connection<net::tcp, 'A', \"b\">>, " * 4 + "true>"


def a_type(name, objects=10, bytes=1000, owners=20, weak=0, **changed):
    return Type(name, objects, bytes, owners, weak, {"held": objects}, **changed)


def a_leak(*cycle, grade="leaked", behind=(), bytes=2000, count=1, types=()):
    """The cycle is given as types and places in turn."""
    steps = [Step(name, place) for name, place in zip(cycle[::2], cycle[1::2], strict=True)]
    inside = dict(types) or {each.type: count for each in steps}
    return Leak(grade, steps, inside, dict(behind), bytes, count)


CLOSURES = a_leak(
    "Context", "+40", "FunctionType", "+16", behind={"Value": 4000, "Name": 12}, bytes=6_000_000, count=2000
)


def an_owner(number, kind="owner", where="Session +40"):
    return Owner(0x5000 + 16 * number, kind, where)


def asked(handles=(), **changed):
    fields = {
        "address": 0x5510,
        "type": "Session",
        "grade": "held",
        "owners": 3,
        "weak": 1,
        "unseen": 0,
        "handles": list(handles),
        "path": [Step("Server", "+24", 0x4000), Step("Session", "", 0x5510)],
        "root": "global server in nginx",
    }
    return Asked(**{**fields, **changed})


def a_report(**changed):
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "source": "process 4711",
        "processor": "x86-64",
        "time": "2026-11-28T20:00:00+00:00",
        "stopped": 0.21,
        "bytes": 215 << 20,
        "allocator": "glibc's malloc",
        "owners": 40440,
        "explained": 0.99996,
        "unknown": 12,
        "doubts": [],
        "notes": [],
        "types": [a_type("Context", 2000, 128_000, 4000), a_type("FunctionType", 2000, 96_000, 2000)],
        "leaks": [CLOSURES],
    }
    return Report(**{**fields, **changed})


def a_full_report(**changed):
    """More of everything than is shown, with long names."""
    types = [
        a_type(f"{LONG}{number}", 10**9, 10**12, 10**9, 10**6, leaked_bytes=10**12, expired_bytes=10**11)
        for number in range(600)
    ]
    ring = [part for number in range(120) for part in (f"{LONG}{number}", f"+{number}")]
    behind = {f"{LONG}{number}": number + 1 for number in range(50)}
    leaks = [a_leak(*ring[: 2 * length], behind=behind, count=10**6) for length in range(1, 120)]
    leaks += [a_leak(grade="leaked-raw", types={LONG: 3})]
    fields = {
        "source": LONG,
        "allocator": LONG,
        "doubts": [LONG, LONG],
        "notes": [LONG] * 9,
        "types": types,
        "leaks": leaks,
    }
    return a_report(**{**fields, **changed})
