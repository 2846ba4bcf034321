"""Starts the player where a program starts Claude Code. `claudewire-conformance compare` puts this on PYTHONPATH."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys

CLI = os.environ.get("CLAUDEWIRE_COMPARE_CLI")
HERE = os.path.dirname(os.path.abspath(__file__))


def _leave_no_trace():
    """The program and what it starts see the path they would see without the stand-in."""
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != HERE]
    rest = [each for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each not in ("", HERE)]
    if rest:
        os.environ["PYTHONPATH"] = os.pathsep.join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)


def _load_own_sitecustomize():
    """Python loads one module of this name: the one of the installation has its turn here."""
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _is_claude(program):
    try:
        name = os.path.basename(os.fsdecode(program))
    except TypeError:
        return False
    return name in ("claude", "claude.exe")


_start = subprocess.Popen.__init__


def _start_player(self, args, *rest, **options):
    is_list = isinstance(args, (list, tuple)) and len(args) > 0
    if CLI and is_list and not options.get("shell") and _is_claude(args[0]):
        args = [CLI, *args[1:]]
    _start(self, args, *rest, **options)


subprocess.Popen.__init__ = _start_player
_leave_no_trace()
_load_own_sitecustomize()
