"""An engine that takes the first legal action, and at its third decision in a match does what its argument says.

It writes its process id, and those of the processes that it starts, to the file named in SPADES_TEST_PIDS.
"""

import json
import os
import signal
import subprocess
import sys
import time

HELLO = {"type": "hello", "protocol": "spades-engine", "version": 1, "name": "faulty"}


def note(pid):
    if "SPADES_TEST_PIDS" in os.environ:
        with open(os.environ["SPADES_TEST_PIDS"], "a") as file:
            print(pid, file=file)


def say(message):
    print(json.dumps(message), flush=True)


def first(message):
    say({"type": "action", "action": message["legal_ids"][0]})


def do(fault, message):
    if fault == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "exits":
        sys.exit("no idea\nwhat to play")
    elif fault == "floods":
        while True:
            os.write(1, b"x" * 65536)
    elif fault == "floods lines":
        while True:
            first(message)
    elif fault == "prints garbage":
        print("my move is AS", flush=True)
    elif fault == "prints bytes":
        os.write(1, b"\xff\xfe\n")
    elif fault == "nests deeply":
        print("[" * 100_000, flush=True)
    elif fault == "sleeps":
        time.sleep(1000)
    elif fault == "closes its input":
        os.close(0)  # before it answers, or the next message may still reach it
        first(message)
        time.sleep(1000)
    elif fault == "closes its output":
        os.close(1)
        time.sleep(1000)
    elif fault == "leaves a child":
        note(subprocess.Popen(["sleep", "1000"]).pid)
        sys.exit(0)
    elif fault == "answers out of turn":
        say({"type": "ok"})
    elif fault == "names no action":
        say({"type": "action", "action": "ZZ"})
    elif fault == "plays illegally":
        say({"type": "action", "action": "BID_17"})
    elif fault == "resigns":
        say({"type": "error", "message": "I am lost"})
    elif fault == "complains":
        sys.stderr.write("x" * 1_000_000)
        first(message)
    else:
        first(message)


def main(fault):
    note(os.getpid())
    decisions = 0
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        if message["type"] == "hello":
            if fault == "never starts":
                time.sleep(1000)
            say(HELLO | {"version": 2} if fault == "is of the future" else HELLO)
        elif message["type"] == "match":
            decisions = 0
            if fault == "plays alone" and message["rules"]["partners"]:
                say({"type": "error", "message": "no partners, please"})
            else:
                say({"type": "ok"})
        elif message["type"] == "act":
            decisions += 1
            do(fault if decisions == 3 else "", message)


if __name__ == "__main__":
    main(sys.argv[1])
