"""A program goes on as if it had never been stopped, whatever happens meanwhile."""

import os
import signal
import sys
import time

import pytest

from freehold_lab.errors import LabError
from freehold_lab.owners.image import live, ptrace, stopping
from image_programs import WAIT, build, running

COUNTING = r"""
static volatile int ordinary, queued;
static void count(int number) { __atomic_add_fetch(number == SIGUSR1 ? &ordinary : &queued, 1, __ATOMIC_RELAXED); }
static void tell(int number) { dprintf(1, "%d %d\n", ordinary, queued); }
static void* thread(void* unused) { for (;;) pause(); }
"""
COUNT = r"""
signal(SIGUSR1, count); signal(SIGRTMIN, count); signal(SIGUSR2, tell);
pthread_t one; for (int i = 0; i < 3; i++) pthread_create(&one, 0, thread, 0);
"""
CHURN = r"""
static volatile long begun;
static void tell(int number) { dprintf(1, "%ld\n", begun); }
static void* brief(void* unused) { volatile long mine = 1; return 0; }
static void* churn(void* unused) {
    for (;;) {
        pthread_t each[4];
        for (int i = 0; i < 4; i++) pthread_create(&each[i], 0, brief, 0);
        for (int i = 0; i < 4; i++) pthread_join(each[i], 0);
        __atomic_add_fetch(&begun, 4, __ATOMIC_RELAXED);
    }
}
"""
CHURNING = r"""
signal(SIGUSR2, tell);
pthread_t one; for (int i = 0; i < 2; i++) pthread_create(&one, 0, churn, 0);
"""
POINTS = 10
MOST_QUESTIONS = 5000


def answer(program):
    """Returns what the program prints when it is asked, so it runs."""
    os.kill(program.pid, signal.SIGUSR2)
    return [int(word) for word in program.line().split()]


def counted(program, least):
    """Returns the counts once they are as high, or after a while: another thread may answer before the one counts that
    is about to."""
    for _ in range(MOST_QUESTIONS):
        if (found := answer(program)) >= least:
            break
        time.sleep(0.001)
    return found


def state(pid):
    return ptrace.state(pid, pid)


@pytest.fixture(scope="module")
def counting(tmp_path_factory):
    return build(tmp_path_factory.mktemp("counting"), COUNT + WAIT, COUNTING)


@pytest.fixture(scope="module")
def churning(tmp_path_factory):
    return build(tmp_path_factory.mktemp("churning"), CHURNING + WAIT, CHURN)


@pytest.fixture
def meanwhile(monkeypatch):
    """Lets something be done while the process is stopped."""

    def set_up(what):
        read_writable = live.read_writable

        def read(*arguments):
            what()
            read_writable(*arguments)

        monkeypatch.setattr(live, "read_writable", read)

    return set_up


def test_signals_that_come_meanwhile_arrive_once_each(counting, meanwhile):
    with running(counting) as program:

        def send():
            os.kill(program.pid, signal.SIGUSR1)
            for _ in range(20):
                os.kill(program.pid, signal.SIGRTMIN)

        meanwhile(send)
        live.read(program.pid)
        assert counted(program, [1, 20]) == [1, 20]


def test_a_signal_arrives_that_a_thread_was_about_to_get(counting, monkeypatch):
    with running(counting) as program:
        interrupt, sent = ptrace.interrupt, []

        def send_first(id):
            if not sent:
                sent.append(os.kill(program.pid, signal.SIGUSR1))
                # The thread that gets the signal stops for that, and not as it is interrupted.
                while all(ptrace.state(program.pid, each) != "t" for each in stopping.threads(program.pid)):
                    time.sleep(0.001)
            interrupt(id)

        monkeypatch.setattr(ptrace, "interrupt", send_first)
        live.read(program.pid)
        assert counted(program, [1, 0]) == [1, 0]


def test_a_process_that_was_stopped_stays_so(counting):
    with running(counting) as program:
        os.kill(program.pid, signal.SIGSTOP)
        os.waitpid(program.pid, os.WUNTRACED)
        assert len(live.read(program.pid).threads) == 4
        while (now := state(program.pid)) in ("t", "R"):  # it goes from the one stop to the other when it is scheduled
            time.sleep(0.001)
        assert now == "T"
        os.kill(program.pid, signal.SIGCONT)
        assert answer(program) == [0, 0]


def test_a_process_that_is_stopped_meanwhile_stops(counting, meanwhile):
    with running(counting) as program:
        meanwhile(lambda: os.kill(program.pid, signal.SIGSTOP))
        live.read(program.pid)
        os.waitpid(program.pid, os.WUNTRACED)
        assert state(program.pid) == "T"


def test_a_process_that_is_continued_meanwhile_runs(counting, meanwhile):
    with running(counting) as program:
        os.kill(program.pid, signal.SIGSTOP)
        os.waitpid(program.pid, os.WUNTRACED)
        meanwhile(lambda: os.kill(program.pid, signal.SIGCONT))
        live.read(program.pid)
        assert answer(program) == [0, 0]


def test_the_parent_sees_nothing(counting):
    with running(counting) as program:
        live.read(program.pid)
        assert os.waitpid(program.pid, os.WUNTRACED | os.WCONTINUED | os.WNOHANG) == (0, 0)


def test_a_process_may_be_killed_meanwhile(counting, meanwhile):
    with running(counting) as program:

        def kill():
            os.kill(program.pid, signal.SIGKILL)
            while stopping.living(program.pid):
                time.sleep(0.001)

        meanwhile(kill)
        with pytest.raises(LabError, match="ended"):
            live.read(program.pid)
        # 0: here the tool is also its parent, and may have been told first.
        assert program.process.wait() in (-signal.SIGKILL, 0)


def test_a_fault_meanwhile_lets_it_go_on(counting, meanwhile):
    with running(counting) as program:
        meanwhile(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            live.read(program.pid)
        assert answer(program) == [0, 0]


def test_threads_may_begin_and_end(churning):
    with running(churning) as program:
        begun = 0
        for _ in range(10):
            image = live.read(program.pid)
            assert len(image.threads) >= 3
            assert all(image.segment(each.stack_pointer) for each in image.threads)
            (now,) = counted(program, [begun + 1])
            assert now > begun
            begun = now


def test_all_threads_stop(churning):
    with running(churning) as program:
        for _ in range(10):
            with stopping.stopped(program.pid) as halt:
                assert set(stopping.living(program.pid)) == {each.id for each in halt.threads}
                assert {ptrace.state(program.pid, each.id) for each in halt.threads} == {"t"}


def test_a_thread_that_begins_meanwhile_stops(counting, monkeypatch):
    with running(counting) as program:
        threads = stopping.threads
        seen = iter([{program.pid}])
        monkeypatch.setattr(stopping, "threads", lambda process: next(seen, None) or threads(process))
        with stopping.stopped(program.pid) as halt:
            assert len(halt.threads) == 4


def test_a_thread_that_waits_in_the_kernel_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(stopping, "PATIENCE", 0.05)
    # Its parent waits until the child of vfork ends, and nothing but its own end wakes it.
    main = "if (vfork() == 0) { ready(); usleep(400000); _exit(0); }"
    with running(build(tmp_path, main)) as program:
        with pytest.raises(LabError, match=rf"thread {program.pid} .* does not stop"):
            live.read(program.pid)
        assert ptrace.wait(program.pid, None) is not None


@pytest.mark.parametrize("threads", ["counting", "churning"])
def test_the_program_runs_on_when_the_tool_is_killed(request, threads):
    with running(request.getfixturevalue(threads)) as program:
        whole = _count(program)
        for point in range(POINTS):
            assert _die(program, whole * point // POINTS) == signal.SIGKILL
            answer(program)
        assert len(live.read(program.pid).threads) >= 3


def _count(program):
    """Returns how many calls reading the program takes."""
    calls = []
    _tracing(calls.append, lambda: live.read(program.pid))
    return len(calls)


def _die(program, calls):
    """Returns how the tool ends when it is killed after that number of calls."""
    tool = os.fork()
    if tool == 0:
        left = iter(range(calls))

        def called(frame):
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            _tracing(called, lambda: live.read(program.pid))
        finally:
            os._exit(0)
    return os.waitpid(tool, 0)[1]


def _tracing(called, what):
    sys.settrace(lambda frame, event, argument: called(frame) if "/owners/image/" in frame.f_code.co_filename else None)
    try:
        what()
    finally:
        sys.settrace(None)
