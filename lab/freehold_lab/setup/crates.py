"""The sources of peers that come as crates: cargo fetches what Cargo.lock pins.

Nothing here stops the command: where they cannot be had, one line says so, and it goes on without them.
"""

import hashlib
import shutil
import subprocess

from freehold_lab import folders
from freehold_lab.errors import say
from freehold_lab.setup import environment
from freehold_lab.setup.debian import agreed

NEEDED = "cargo"
MANIFEST = folders.PROBES / "peers" / "allocators" / "Cargo.toml"
LOCK = MANIFEST.with_name("Cargo.lock")
# Another one for other versions.
FOLDER = folders.BUILD / "crates" / hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]
FETCHED = "mimalloc 3, snmalloc, rpmalloc, arc-swap, crossbeam-epoch and bacon_rajan_cc"
PATIENCE = 100  # seconds: a network that answers nothing must not hold up a run


def are_here() -> bool:
    return FOLDER.exists()


def fetch() -> None:
    """Fetches the sources, unless they are here."""
    if are_here():
        return
    if not environment.has_program(NEEDED):
        say(f"{FETCHED} are not measured: install {NEEDED}")
        return
    if not agreed([f"the sources of {FETCHED}, into {FOLDER}"]):
        return
    say(f"fetching the sources of {FETCHED} …")
    # The folder has its name only when it is whole.
    draft = FOLDER.with_suffix(".draft")
    shutil.rmtree(draft, ignore_errors=True)
    command = [NEEDED, "vendor", "--locked", "--versioned-dirs", "--manifest-path", str(MANIFEST), str(draft)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        complaint = f"no answer within {PATIENCE} seconds"
    else:
        if done.returncode == 0:
            draft.rename(FOLDER)
            return
        complaint = next((line for line in done.stderr.splitlines() if line.startswith("error")), "cargo vendor failed")
    say(f"{FETCHED} are not measured: {complaint}")
