"""Kernels: functions compiled once as a part of other kernels, and optimised only where Python calls one.

Numba optimises every function that it compiles and generates its machine code, with all functions that it calls: a
function five calls below the one that Python calls is optimised six times. Here a kernel called from a kernel stays
unoptimised code, a *part*. A kernel called from Python, an *entry*, is linked with all its parts, and then optimised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "_nrt": False, "boundscheck": None}


class _Library(JITCodeLibrary):
    """The code of one kernel, before it is linked."""

    def _parts(self) -> Iterator[Any]:
        """The modules of all functions that this one calls, directly or not."""
        seen, waiting = {self}, list(self._linking_libraries)
        while waiting:
            library = waiting.pop()
            if library in seen:
                continue
            seen.add(library)
            self._reload_init.update(library._reload_init)
            if isinstance(library, _PartLibrary):
                waiting += library._linking_libraries
                yield library, library._own_module()
            else:
                yield library, library._get_module_for_linking()


class _PartLibrary(_Library):
    """The code of a kernel that kernels call: neither optimised nor loaded."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.environments = {}

    def set_env(self, name: str, environment: Any) -> None:
        """Remember the function's environment for the entry that this part is linked into."""
        self.environments[name] = environment

    @property
    def codegen(self) -> Any:
        """What numba sets the function's environment in; a part has no place for it."""
        return self

    def finalize(self) -> None:
        self._raise_if_finalized()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "external":
                function.linkage = "linkonce_odr"
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    def _own_module(self):
        self._ensure_finalized()
        return self._final_module

    def _get_module_for_linking(self):
        """For functions that are compiled by numba itself: the code of this function and all that it calls."""
        if self._shared_module is None:
            self._shared_module = self._own_module().clone()
            for _, module in self._parts():
                self._shared_module.link_in(module, preserve=True)
        return self._shared_module


class _EntryLibrary(_Library):
    """The code of a kernel that Python calls, optimised with all its parts."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        environments = {}
        for library, module in self._parts():
            self._final_module.link_in(module, preserve=True)
            environments.update(getattr(library, "environments", {}))
        # Numba first inlines everything in one cheap pass, for the sake of its reference counts, which kernels do not have.
        # The full pass inlines from the bottom up and simplifies every function on the way: faster code, in less time.
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        self._finalize_final_module()
        for name, environment in environments.items():
            if self._codegen._engine.get_global_value_address(name):
                self._codegen.set_env(name, environment)


class _PartCompiler(Compiler):
    library_class: type[_Library] = _PartLibrary

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.library_class(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _EntryCompiler(_PartCompiler):
    library_class = _EntryLibrary


def widest(kind: Any) -> Any:
    """The type that a part is compiled for: int64 for all signed integers and their literals, bool for its literals."""
    if isinstance(kind, types.BooleanLiteral):
        return types.boolean
    if isinstance(kind, types.IntegerLiteral) or (isinstance(kind, types.Integer) and kind.signed):
        return types.int64
    return kind


class Kernel(CPUDispatcher):
    """A compiled function."""

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None) -> None:  # noqa: A002
        options = OPTIONS | {"no_cfunc_wrapper": True} | (targetoptions or {})
        entry = options | {"forceinline": False}
        super().__init__(py_func, locals, entry, _EntryCompiler)
        part = options | {"no_cpython_wrapper": True}
        self.part = CPUDispatcher(py_func, locals, part, _PartCompiler)

    @property
    def is_compiling(self) -> bool:
        return bool(super().is_compiling or self.part.is_compiling)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return self.part.get_call_template(tuple(map(widest, args)), {name: widest(kind) for name, kind in kws.items()})

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)
