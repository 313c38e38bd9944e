"""Runs a program that must not outlive the process that started it: when file descriptor 3 closes, it ends."""

import os
import runpy
import sys
import threading


def end_with_parent() -> None:
    while os.read(3, 1):
        pass
    os._exit(1)


threading.Thread(target=end_with_parent, daemon=True).start()
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
