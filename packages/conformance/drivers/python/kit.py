"""The kit of this repository, which a port copies beside its driver."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "kit"))

from driver_kit import END, Callbacks, Driver, Hello, Session, Unsupported, main, raw  # noqa: E402

__all__ = ["END", "Callbacks", "Driver", "Hello", "Session", "Unsupported", "main", "raw"]
