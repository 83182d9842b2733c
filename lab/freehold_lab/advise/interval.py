"""A figure, and from where to where it is expected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Interval:
    low: float
    value: float
    high: float

    @classmethod
    def around(cls, value: float, off: float) -> "Interval":
        return cls(value - off, value, value + off)

    def at_least(self, bound: float) -> "Interval":
        return Interval(*(max(each, bound) for each in (self.low, self.value, self.high)))

    @property
    def percent(self) -> str:
        return f"{self.low:+.1%} to {self.high:+.1%}".replace("-", "−")


NOTHING = Interval(0, 0, 0)
