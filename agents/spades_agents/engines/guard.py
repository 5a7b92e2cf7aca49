"""Runs an engine and ends it, with all processes that it has started, as soon as the host is gone.

Usage: ``python guard.py LIFELINE COMMAND...``, where LIFELINE is the reading end of a pipe that only the host can
write to. It reaches its end when the host closes it or dies in any way. This is a script of its own, which imports
little, so that it starts quickly.
"""

import contextlib
import os
import signal
import sys
import threading


def main(lifeline: int, command: list[str]) -> int:
    """Run ``command`` on this process's input and output; returns its exit code, or 128 plus its signal."""
    os.set_inheritable(lifeline, False)
    try:
        engine = os.posix_spawnp(
            command[0], command, os.environ, setpgroup=0, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ]
        )
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):  # otherwise the host would not see that the engine closes them
        os.dup2(nothing, stream)

    def end_group() -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(engine, signal.SIGKILL)

    def wait_for_host() -> None:
        os.read(lifeline, 1)
        end_group()

    threading.Thread(target=wait_for_host, daemon=True).start()
    code = os.waitstatus_to_exitcode(os.waitpid(engine, 0)[1])
    end_group()  # what the engine has left behind
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    os._exit(main(int(sys.argv[1]), sys.argv[2:]))
