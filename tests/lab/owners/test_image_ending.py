"""A program is read when it is about to end, and ends as it would have."""

import os
import signal
import subprocess
import sys
import time

import pytest

from freehold_lab import folders
from freehold_lab.errors import LabError
from freehold_lab.owners.image import ending, room
from image_programs import build

BEFORE = r"""
long global = 0x1111111111111111;
static volatile int begun;
static void* wait_long(void* number) {
    volatile long mine = 0x4444444444444440 + (long)number;
    say(number == (void*)1 ? "stack1" : "stack2", &mine);
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
    if (number == (void*)1) for (;;) mine++, mine--;
    for (;;) pause();
}
static void* leave(void* unused) { usleep(20000); exit(9); }
static void* end(void* unused) { usleep(20000); return 0; }
static void* replace(void* name) { usleep(20000); execl(name, name, "exit", (char*)0); return 0; }
"""
MAIN = r"""
dup2(open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600), 1);
say("global", &global);
const char* how = argv[1];
pthread_t one;
if (!strcmp(how, "last")) { pthread_create(&one, 0, end, 0); pthread_exit(0); }
if (!strcmp(how, "raw")) syscall(SYS_exit, 5);
if (!strcmp(how, "fork")) { if (fork()) { int status; wait(&status); exit(7); } global++; exit(4); }
if (!strcmp(how, "vfork")) { if (vfork()) exit(7); global++; _exit(4); }
if (!strcmp(how, "exec")) { execl(argv[0], argv[0], "exit", argv[2], (char*)0); }
if (!strcmp(how, "brief")) for (int i = 0; i < 50; i++) { pthread_create(&one, 0, end, 0); }
pthread_create(&one, 0, wait_long, (void*)1); pthread_create(&one, 0, wait_long, (void*)2);
while (begun < 2) usleep(1000);
if (!strcmp(how, "thread")) { pthread_create(&one, 0, leave, 0); for (;;) pause(); }
if (!strcmp(how, "_exit")) _exit(8);
if (!strcmp(how, "abort")) abort();
if (!strcmp(how, "segv")) *(volatile int*)0 = 1;
if (!strcmp(how, "term")) kill(getpid(), SIGTERM);
if (!strcmp(how, "kill")) kill(getpid(), SIGKILL);
if (!strcmp(how, "caught")) { signal(SIGUSR1, (void (*)(int))wait); kill(getpid(), SIGUSR1); }
if (!strcmp(how, "stop")) {
    if (!fork()) { usleep(50000); kill(getppid(), SIGCONT); _exit(0); }
    kill(getpid(), SIGSTOP);
}
if (!strcmp(how, "parent")) kill(getppid(), SIGTERM), usleep(3000000);
exit(3);
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return build(tmp_path_factory.mktemp("ending"), MAIN, BEFORE)


@pytest.fixture
def run(program, tmp_path):
    """Returns the exit status, the images, and the places that the program has printed."""

    def run_it(how, **options):
        images = []
        output = tmp_path / "output"
        status = ending.run([str(program), how, str(output)], images.append, **options)
        lines = [line.split() for line in output.read_text().splitlines()]
        return status, images, {name: int(address, 16) for name, address in lines}

    return run_it


@pytest.mark.parametrize(
    ("how", "status"),
    {
        **{"exit": 3, "_exit": 8, "thread": 9, "caught": 3, "stop": 3, "brief": 3},
        **{"abort": 128 + signal.SIGABRT, "segv": 128 + signal.SIGSEGV, "term": 128 + signal.SIGTERM},
    }.items(),
)
def test_all_is_there_at_its_end(run, how, status):
    ended, (image,), places = run(how)
    assert ended == status
    assert image.word(places["global"]) == 0x1111111111111111
    assert image.word(places["stack2"]) == 0x4444444444444442
    for place in ("stack1", "stack2"):
        assert any(0 < places[place] - each.stack_pointer < 4096 for each in image.threads)
    assert image.has_all_stacks and not image.notes and not image.unread


@pytest.mark.parametrize(("how", "status"), [("last", 0), ("raw", 5), ("exec", 3)])
def test_other_ends(run, how, status):
    ended, (image,), places = run(how)
    assert ended == status and image.word(places["global"]) == 0x1111111111111111 and image.has_all_stacks


def test_exec_by_a_thread_is_not_its_end(program, tmp_path):
    main = f'pthread_t one; pthread_create(&one, 0, replace, "{program}"); for (;;) pause();'
    other = build(tmp_path / "other", main.replace('"exit"', '"exit"'), BEFORE)
    images = []
    assert ending.run([str(other)], images.append) != 0
    assert [bool([each for each in image.segments if each.name == str(program)]) for image in images] == [True]


def test_what_it_forks_is_not_read_unless_wanted(run):
    status, images, places = run("fork")
    assert status == 7 and [image.word(places["global"]) & 0xF for image in images] == [1]
    status, images, places = run("fork", children=True)
    assert status == 7 and [image.word(places["global"]) & 0xF for image in images] == [2, 1]


def test_a_child_that_has_borrowed_the_memory_is_not_read(run):
    status, images, places = run("vfork", children=True)
    assert status == 7 and [image.word(places["global"]) & 0xF for image in images] == [2]


def test_children_may_be_other_programs(program, tmp_path):
    images = []
    command = ["sh", "-c", f"{program} exit {tmp_path}/1; {program} _exit {tmp_path}/2; exit 6"]
    assert ending.run(command, images.append, children=True) == 6
    programs = [kind(image) for image in images]
    assert programs == ["program", "program", "shell"]


def kind(image):
    return "program" if any(each.name.endswith("/program") for each in image.segments) else "shell"


def test_what_is_killed_is_not_read(run):
    with pytest.raises(LabError, match="was killed by SIGKILL"):
        run("kill")


def test_what_cannot_be_started_is_told():
    with pytest.raises(LabError, match="/no/such cannot be started: No such file or directory"):
        ending.run(["/no/such"], lambda image: None)


def test_what_is_too_large_ends_all_the_same(run, monkeypatch, tmp_path):
    with pytest.raises(LabError, match="limit is 0 MiB"):
        run("exit", most_bytes=4096)
    monkeypatch.setattr(room, "FIXED", 1 << 60)
    with pytest.raises(LabError, match="are free on this machine"):
        run("exit")
    assert (tmp_path / "output").read_text().count("stack2") == 2


def test_a_signal_to_the_tool_goes_to_the_program(run):
    assert run("parent")[0] == 128 + signal.SIGTERM


def test_the_program_goes_on_when_the_tool_is_killed(program, tmp_path):
    code = "import sys; from freehold_lab.owners.image import ending; ending.run(sys.argv[1:], print)"
    end = f"{program} exit {tmp_path}/1; echo $? > {tmp_path}/2; mv {tmp_path}/2 {tmp_path}/3"
    shell = f"kill -9 $PPID; sleep .1; {end}"
    variables = os.environ | {"PYTHONPATH": str(folders.ROOT / "lab")}
    done = subprocess.run([sys.executable, "-c", code, "sh", "-c", shell], env=variables)
    assert done.returncode == -signal.SIGKILL
    while not (tmp_path / "3").exists():
        time.sleep(0.01)
    assert (tmp_path / "3").read_text() == "3\n"


def test_its_signals_are_as_without_the_tool(tmp_path):
    ignored = tmp_path / "ignored"
    command = ["sh", "-c", f"grep SigIgn /proc/self/status > {ignored}"]
    subprocess.run(command, check=True)
    expected = ignored.read_text()
    assert ending.run(command, lambda image: None) == 0
    assert ignored.read_text() == expected
