"""Kernels: functions compiled as parts of each other, and optimized only where Python calls one.

Numba optimizes each function that it compiles, and generates its machine code, together with all functions that it
calls: what is five calls below the function that Python calls is optimized six times. Here a kernel that a kernel calls
is a *part*, which is left as it is. A kernel that Python calls is an *entry*: all its parts are linked into it, and the
whole is optimized once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

from numba import types
from numba.core import sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from spades_env.compiling.cache import KernelCache
from spades_env.compiling.lock import alone
from spades_env.compiling.progress import progress

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": None}
_OPTIONS["no_cfunc_wrapper"] = True  # a second copy of the code, for callers in C


class _Library(JITCodeLibrary):
    """The code of a kernel."""

    def _called(self) -> Iterator[tuple[Any, Any]]:
        """What this kernel calls, directly or not: libraries, each with its own code as a module of LLVM."""
        seen = {self}
        waiting = list(self._linking_libraries)
        while waiting:
            library = waiting.pop()
            if library in seen:
                continue
            seen.add(library)
            self._reload_init.update(library._reload_init)
            if isinstance(library, _Part):
                waiting += library._linking_libraries
                yield library, library.own_module()
            else:
                yield library, library._get_module_for_linking()


class _Part(_Library):
    """The code of a kernel that kernels call."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.environments: dict[str, Any] = {}

    @property
    def codegen(self) -> Any:
        """Numba only uses it for :meth:`set_env`."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Keep what numba stores in loaded code, for the entry."""
        self.environments[name] = environment

    def get_pointer_to_function(self, name: str) -> int:
        """Null: the code is not loaded."""
        return 0

    def finalize(self) -> None:
        """Let the code be linked into several entries."""
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"
        self._finalized = True

    def own_module(self) -> Any:
        """The code without that of the kernels it calls."""
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """For functions that numba itself compiles: the code with all that it calls."""
        if self._shared_module is None:
            self._shared_module = self.own_module().clone()
            for _, module in self._called():
                self._shared_module.link_in(module, preserve=True)
        return self._shared_module


class _Entry(_Library):
    """The code of a kernel that Python calls."""

    def finalize(self) -> None:
        """Link, optimize, generate machine code and load it."""
        self._raise_if_finalized()
        progress.optimizing()
        codegen: Any = self._codegen
        environments: dict[str, Any] = {}
        for library, module in self._called():
            self._final_module.link_in(module, preserve=True)
            if isinstance(library, _Part):
                environments |= library.environments
        # Numba first inlines everything in one cheap pass, for the sake of reference counts, which kernels do not have.
        # The full pass inlines from the bottom up, and simplifies each function before: faster code, in less time.
        passes, builder = codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()
        for name, environment in environments.items():
            if codegen._engine.get_global_value_address(name):
                codegen.set_env(name, environment)


class _Compiler(Compiler):
    library: type[_Library]

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        result = super().compile_extra(func)
        progress.advance()
        return result


class _PartCompiler(_Compiler):
    library = _Part


class _EntryCompiler(_Compiler):
    library = _Entry


def _widest(kind: Any) -> Any:
    """The type that a part is compiled for, so that numba does not compile it for each width and each constant."""
    if isinstance(kind, types.BooleanLiteral):
        return types.boolean
    if isinstance(kind, types.IntegerLiteral) or kind in types.signed_domain:
        return types.int64
    return kind


class Kernel(CPUDispatcher):
    """A compiled function, as numba's ``njit`` returns it.

    Args:
        py_func: the Python function.
        locals: as in numba.
        targetoptions: numba's options besides those of all kernels. ``forceinline`` applies to calls by kernels.
    """

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None) -> None:
        options = _OPTIONS | (targetoptions or {})
        # Forced inlining would put a second copy into the function that converts Python's arguments.
        super().__init__(py_func, locals, options | {"forceinline": False}, _EntryCompiler)
        self._saved: KernelCache | None = None
        self.part = CPUDispatcher(py_func, locals, options | {"no_cpython_wrapper": True}, _PartCompiler)

    def keep_in(self, folder: Path) -> None:
        """Load the compiled code from a folder, and save it there."""
        self._cache = self._saved = KernelCache(self.py_func, folder)

    @property
    def is_compiling(self) -> Any:
        """Whether it is being compiled, in which case a call to it is a recursion."""
        return bool(super().is_compiling or self.part.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How kernels call it: numba compiles it for these types of arguments."""
        return self.part.get_call_template(tuple(map(_widest, args)), {key: _widest(kws[key]) for key in kws})

    def get_overload(self, sig: Any) -> Any:
        """What kernels call."""
        return self.part.get_overload(sig)

    def compile(self, sig: Any) -> Any:
        """Load or compile the entry for a signature; other processes wait and load it then."""
        with global_compiler_lock:
            args, _ = sigutils.normalize_signature(sig)
            file = self._saved.file(sig, self.targetctx) if self._saved else None
            if tuple(args) in self.overloads or (file and file.exists()):
                return super().compile(sig)
            title = f"{self.py_func.__module__.rpartition('.')[2]}.{self.py_func.__name__}"
            lock = alone(file.with_suffix(".lock")) if file else contextlib.nullcontext()
            with lock, progress.compiling(title, len(self._uncompiled())):
                return super().compile(sig)

    def _uncompiled(self) -> set[Any]:
        """This kernel, and those that it calls that have not been compiled as parts."""
        found: set[Any] = {self}
        waiting: list[tuple[CodeType, dict[str, Any]]] = [(self.py_func.__code__, self.py_func.__globals__)]
        while waiting:
            code, names = waiting.pop()
            for name in code.co_names:
                called = names.get(name)
                if isinstance(called, Kernel) and called not in found and not called.part.overloads:
                    found.add(called)
                    waiting.append((called.py_func.__code__, called.py_func.__globals__))
        return found
