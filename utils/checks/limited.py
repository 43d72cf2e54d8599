"""Commands that may take no longer than they should."""

import os
import signal
import subprocess

TIMED_OUT = 124


def run_limited(command, seconds, **options):
    """Runs a command and returns its exit code, TIMED_OUT after so many seconds.

    Whatever the command has started and left running is ended with it then, so
    that nothing keeps on waiting. The options are those of subprocess.Popen.
    """
    process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, **options)
    try:
        return process.wait(timeout=max(seconds, 0.001))
    except subprocess.TimeoutExpired:
        return TIMED_OUT
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
