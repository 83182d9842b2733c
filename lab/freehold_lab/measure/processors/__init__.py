"""The processors whose machine code can be read: a file for each, and a line here."""

from freehold_lab.measure.processors.aarch64 import AARCH64
from freehold_lab.measure.processors.processor import Processor
from freehold_lab.measure.processors.x86_64 import X86_64

# By what pyelftools calls the processor of a file.
PROCESSORS: dict[str, Processor] = {"x64": X86_64, "AArch64": AARCH64}
