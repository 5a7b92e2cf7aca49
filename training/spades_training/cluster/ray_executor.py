"""Ray behind the interface of an executor."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from spades_training.cluster.executor import RETRIES, ClusterExecutor, Node, pickled, standalone

PATIENCE = 10.0  # seconds to wait for the head to answer


class RayExecutor(ClusterExecutor):
    """Calls as tasks of a Ray cluster, one CPU each.

    Args:
        address: of the cluster, as ``ray.init`` takes it; ``"auto"`` is the one that this machine belongs to. A
            connection that this process already has is used, and left open.

    Raises:
        ModuleNotFoundError: if Ray is not installed.
        OSError: if there is no such cluster.
    """

    def __init__(self, address: str = "auto") -> None:
        super().__init__()
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # otherwise Ray warns that this will change
        # Ray prints long messages about lost workers on stdout, where results belong.
        os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", "^")
        import ray

        host, colon, port = address.rpartition(":")
        if colon and port.isdecimal() and "/" not in host:  # Ray itself waits for minutes
            socket.create_connection((host, int(port)), PATIENCE).close()
        self._ray = ray
        self._ours = not ray.is_initialized()
        if self._ours:
            ray.init(address, log_to_driver=False, logging_level=logging.ERROR)
        self._call: Any = ray.remote(num_cpus=1, max_retries=RETRIES)(standalone())
        self._running: dict[Future[Any], Any] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a call; ``kwargs`` are not supported."""
        if kwargs:
            raise TypeError("calls on a cluster take positional arguments only")
        reference = self._call.remote(pickled(fn), *args)
        future: Future[Any] = reference.future()
        self._running[future] = reference
        future.add_done_callback(self._done)
        return future

    def _done(self, future: Future[Any]) -> None:
        reference = self._running.pop(future)
        if future.cancelled():
            self._ray.cancel(reference, force=True)

    def nodes(self) -> dict[str, Node]:
        """The nodes that are alive."""
        alive = [node for node in self._ray.nodes() if node["Alive"]]
        names = {node["NodeID"]: node["NodeName"] or node["NodeManagerHostname"] for node in alive}
        count = Counter(names.values())
        found = {}
        for node in alive:
            key = node["NodeID"]
            name = names[key] if count[names[key]] == 1 else f"{names[key]}/{key[:6]}"  # several nodes of one machine
            found[key] = Node(name, node["Resources"].get("CPU", 0.0))
        return found

    def share(self, data: bytes) -> Any:
        """A reference to ``data`` in Ray's object store."""
        return self._ray.put(data)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection; calls that still run are ended, unless ``wait`` lets them finish first."""
        running = dict(self._running)
        if wait and not cancel_futures:
            for future in running:
                with contextlib.suppress(Exception):
                    future.result()
        else:
            for reference in running.values():
                self._ray.cancel(reference, force=True)
        if self._ours:
            self._ray.shutdown()
