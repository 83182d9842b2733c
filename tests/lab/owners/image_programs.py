"""Small programs in C whose memory is read: each prints `NAME ADDRESS` of what it has, then `ready`, and waits."""

import subprocess
from contextlib import contextmanager

HEAD = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
// Also from handlers of signals, so without a buffer.
static void say(const char* name, const volatile void* p) { dprintf(1, "%s %p\n", name, (void*)p); }
static void ready() { dprintf(1, "ready\n"); }
"""
WAIT = "ready(); for (;;) pause();"


def build(folder, main, before="", options=(), compiler="gcc"):
    """Compiles a program of which `main` is the body of the function, and `before` comes before it."""
    folder.mkdir(exist_ok=True)
    source = folder / "program.c"
    source.write_text(f"{HEAD}{before}\nint main(int argc, char** argv) {{ {main} }}\n")
    program = folder / "program"
    subprocess.run([compiler, "-O1", "-g0", "-w", "-pthread", *options, source, "-o", program], check=True)
    return program


class Running:
    def __init__(self, process):
        self.process = process
        self.pid = process.pid
        self.places = {}
        for line in process.stdout:
            if line == "ready\n":
                break
            name, address = line.split()
            self.places[name] = int(address, 16)

    def line(self):
        return self.process.stdout.readline()


@contextmanager
def running(program, *arguments, **options):
    process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True, **options)
    with process:
        try:
            yield Running(process)
        finally:
            process.kill()
