"""Dask behind the interface of an executor."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from spades_training.cluster.executor import ClusterExecutor, Node, pickled, standalone


class DaskExecutor(ClusterExecutor):
    """Calls as tasks of a Dask cluster.

    The scheduler runs a call again if its worker was lost, as often as its setting ``allowed-failures`` says.

    Args:
        address: of the scheduler.

    Raises:
        ModuleNotFoundError: if Dask is not installed.
        OSError: if there is no such scheduler.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        from distributed import Client

        self._client = Client(address, set_as_default=False)
        self._executor = self._client.get_executor(pure=False)
        self._call = standalone()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Start a call; ``kwargs`` are not supported."""
        if kwargs:
            raise TypeError("calls on a cluster take positional arguments only")
        return self._executor.submit(self._call, pickled(fn), *args)

    def nodes(self) -> dict[str, Node]:
        """The workers that are connected."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address: Node(str(worker["name"]), worker["nthreads"]) for address, worker in workers.items()}

    def share(self, data: bytes) -> Any:
        """A future whose result is ``data`` on all workers."""
        return self._client.scatter(data, broadcast=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Close the connection; the scheduler then drops calls that nobody waits for."""
        self._executor.shutdown(wait=wait and not cancel_futures)
        self._client.close()
