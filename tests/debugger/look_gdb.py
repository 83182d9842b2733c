"""Run by gdb: prints what it answers to each command, as JSON. One that fails does not stop the others."""

import json

import gdb


def ask(command):
    try:
        return gdb.execute(command, to_string=True).strip()
    except gdb.error as fault:
        return f"error: {fault}"


def show(questions):
    gdb.execute("set width 0")
    gdb.execute("set print frame-arguments none")
    gdb.execute("frame function main", to_string=True)
    print("answers:", json.dumps({each: ask(each) for each in questions}))
