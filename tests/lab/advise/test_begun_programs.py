"""Programs that are begun by another environment, without the recorder: they are told."""

import subprocess

import pytest
from made_up_advice import a_recording

from freehold_lab.advise import building, command, work
from freehold_lab.advise.answers import unseen
from freehold_lab.advise.record import recording

SOURCE = """
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char** environ;
int main(int count, char** arguments) {
    char* none[] = {(char*)"A=1", 0};
    char* words[] = {(char*)"echo", (char*)"one", (char*)"two", 0};
    const char* how = arguments[1];
    const char* path = count > 2 ? arguments[2] : "/bin/echo";
    free(malloc(100));
    if (!strcmp(how, "execve")) execve(path, words, none);
    if (!strcmp(how, "kept")) execve(path, words, environ);
    if (!strcmp(how, "execvpe")) execvpe("echo", words, none);
    if (!strcmp(how, "execle")) execle(path, "echo", "one", "two", (char*)0, none);
    if (!strcmp(how, "fexecve")) fexecve(open(path, O_RDONLY | O_CLOEXEC), words, none);
    int is_path = !strcmp(how, "posix_spawn");
    if (is_path || !strcmp(how, "posix_spawnp")) {
        pid_t process;
        int error = (is_path ? posix_spawn : posix_spawnp)(&process, is_path ? path : "echo", 0, 0, words, none);
        return error ? 7 : waitpid(process, 0, 0) != process;
    }
    clearenv();
    if (!strcmp(how, "execv")) execv(path, words);
    if (!strcmp(how, "execvp")) execvp("echo", words);
    if (!strcmp(how, "execl")) execl(path, "echo", "one", "two", (char*)0);
    if (!strcmp(how, "execlp")) execlp("echo", "echo", "one", "two", (char*)0);
    return 7;
}
"""
WAYS = ["execve", "execvpe", "execle", "fexecve", "posix_spawn", "posix_spawnp", "execv", "execvp", "execl", "execlp"]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("begun")
    (folder / "program.c").write_text(SOURCE)
    options = ["-O1", "-D_GNU_SOURCE", "-fno-builtin-malloc", "-fno-builtin-free"]
    subprocess.run(["gcc", *options, folder / "program.c", "-o", folder / "program"], check=True)
    return str(folder / "program")


@pytest.fixture
def begun(program, tmp_path):
    """Returns how a program ended, what was printed, and who was begun without the recorder."""

    def run(*arguments):
        with (tmp_path / "printed").open("wb") as to:
            found = recording.record([program, *arguments], building.recorder(), tmp_path / "recording", stdout=to)
        return found.status, (tmp_path / "printed").read_text(), found.unrecorded, found.unrecorded_names

    return run


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_another_environment_begins_is_noticed(begun, way):
    assert begun(way) == (0, "one two\n", 1, ("echo",))


def test_a_program_with_the_recorder_is_not_told(begun):
    assert begun("kept") == (0, "one two\n", 0, ())


@pytest.mark.parametrize("way", ["execve", "execle", "execl", "posix_spawn"])
def test_what_cannot_be_begun_is_not_told(begun, way):
    assert begun(way, "/nowhere") == (7, "", 0, ())


def test_it_is_told(program, capfd):
    assert command.run(work.Request((program, "execve"))) == 0
    assert "1 program was begun without the recorder, by another environment: echo." in capfd.readouterr().out


@pytest.mark.parametrize(
    ("count", "names", "told"),
    [
        (0, (), ""),
        (2, ("sh", "sh"), "2 programs were begun without the recorder, by another environment: sh."),
        (9, ("a", "b", "c", "d"), "9 programs were begun without the recorder, by another environment: a, b, c, d, …."),
    ],
)
def test_the_first_are_named(count, names, told):
    assert unseen.programs(a_recording(unrecorded=count, unrecorded_names=names)) == told
