"""All that is told of a program."""

from dataclasses import dataclass, field

from freehold_lab.advise.analysis.summary import Summary
from freehold_lab.advise.answers.bound import Bound
from freehold_lab.advise.answers.predictions import Prediction
from freehold_lab.advise.answers.sites import Group
from freehold_lab.advise.changes.advice import Advice
from freehold_lab.advise.record.recording import Recording
from freehold_lab.advise.replay.timing import Timed


@dataclass
class Report:
    recording: Recording
    process: int  # its number, of the one that is told of
    summary: Summary
    sites: list[Group]
    bound: Bound | None = None
    predictions: list[Prediction] = field(default_factory=list)
    times: list[Timed] = field(default_factory=list)
    advice: list[Advice] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
