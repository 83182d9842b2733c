"""Nothing is installed without leave."""

import io
import os

import pytest

from freehold_lab.setup.debian import agreed


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def user(monkeypatch):
    """An ordinary user at a terminal; the fixture takes what is typed."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("CI", raising=False)
    return lambda typed: monkeypatch.setattr("sys.stdin", Terminal(typed))


def test_root_is_not_asked(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert agreed(["something"])


def test_continuous_integration_is_not_asked(user, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert agreed(["something"])


@pytest.mark.parametrize(
    ("typed", "answer"), [("\n", True), ("y\n", True), ("n\n", False), ("what?\n", False), ("", False)]
)
def test_a_user_is_asked(user, typed, answer):
    user(typed)
    assert agreed(["something"]) is answer


def test_without_a_terminal_nothing_is_installed(user, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert not agreed(["something"])
    assert capsys.readouterr().err.endswith("freehold: nothing was installed: there is no terminal to ask on\n")


def test_what_is_to_be_installed_is_said(capsys):
    agreed(["this", "and that"])
    assert capsys.readouterr().err.startswith("freehold: to install: this\nfreehold: to install: and that\n")
