"""Run by lldb: prints what it answers to each command, as JSON. One that fails does not stop the others."""

import json

import lldb


def ask(command):
    answer = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command, answer)
    return (answer.GetOutput() or answer.GetError() or "").strip()


def show(questions):
    print("answers:", json.dumps({each: ask(each) for each in questions}))
