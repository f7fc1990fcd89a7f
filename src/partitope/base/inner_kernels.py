"""Kernels as other kernels call them: the callers optimise them and turn them into machine code.

Numba optimises every compiled function, emits its machine code, wraps it for Python and writes it to the cache, also
where only other compiled functions call it. Each caller then optimises and emits a copy of its own, so that what is
at the bottom of a chain of calls is compiled once for every link. Here compilation stops after the translation to
LLVM's language, which is all that a caller needs: a chain is optimised and emitted once, by the kernel at its top. That
takes a quarter off the time of compilation. Called from Python, a kernel is compiled as Numba does it.

It leans on names inside Numba (0.61 to 0.68 have them).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral


def with_inner_form(kernel: Any, function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """Let kernels that call ``kernel``, which Numba made of ``function``, link its code before LLVM optimises it."""
    kernel.inner = numba.njit(pipeline_class=_Pipeline, **{**options, "cache": False})(function)
    kernel.inner.__class__ = _Inner
    kernel.__class__ = _Dispatcher
    return kernel


class _Dispatcher(CPUDispatcher):
    """A kernel that is called from Python, and its form in other kernels."""

    inner: CPUDispatcher

    @property
    def _numba_type_(self) -> types.Dispatcher:
        return types.Dispatcher(self.inner)


class _Inner(CPUDispatcher):
    """Form of a kernel inside others; one form serves for 1, for a variable that was 1 at first, and for any."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Types of a call, a constant's being that of its kind."""
        return super().get_call_template([unliteral(kind) for kind in args], kws)


class _Library(JITCodeLibrary):
    """Code in LLVM's language; the libraries that link it optimise it and emit machine code."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "partitope_lowering_for_callers"

    def run_pass(self, state: Any) -> bool:
        """Translate to LLVM's language and stop there."""
        state.flags.no_compile = state.flags.no_cpython_wrapper = True
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        lowered = state["cr"]
        key: Any = [].append  # Numba files what it compiled under a builtin of its own; this one is never called
        state.targetctx.insert_user_function(key, lowered.fndesc, [state.library])
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _Types:
    """Numba's typing context with a memory of the types that builtin functions return: Numba tries up to a dozen
    implementations for every index and sum, again in each round of its inference."""

    def __init__(self, context: Any, flags: Any) -> None:
        self.context = context
        self.known = _known.setdefault(repr(flags.values()), {})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.context, name)

    def resolve_function_type(self, func: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """Signature of a call."""
        if kws or not isinstance(func, types.Function):
            return self.context.resolve_function_type(func, args, kws)
        key = func, args
        if key not in self.known:
            self.known[key] = self.context.resolve_function_type(func, args, kws)
        return self.known[key]

    def resolve_setitem(self, *args: Any) -> Any:
        """Signature of an assignment to an entry."""
        if args not in self.known:
            self.known[args] = self.context.resolve_setitem(*args)
        return self.known[args]


_known: dict[str, dict[Any, Any]] = {}  # by the flags of the compiler


class _Flags(Flags):
    """Flags of the compiler, which Numba compares by the hundred thousand, one attribute after the other."""

    def __hash__(self) -> int:
        return _HASH

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Flags):
            return super().__eq__(other)
        return self._values == other._values or {**_UNSET, **self._values} == {**_UNSET, **other._values}


_HASH, _UNSET = hash(Flags()), Flags().values()


class Pipeline(CompilerBase):
    """Numba's own passes on tables that are looked up faster; the code that comes out is the same."""

    def _compile_core(self) -> Any:
        self.state.flags = _Flags(self.state.flags)
        return super()._compile_core()

    def define_pipelines(self) -> list[Any]:
        """As Numba's own compiler."""
        self.state.typingctx = _Types(self.state.typingctx, self.state.flags)
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


class _Pipeline(Pipeline):
    def define_pipelines(self) -> list[Any]:
        """Numba's own passes but the last step of lowering."""
        (passes,) = super().define_pipelines()
        passes.passes = [(_Lowering if step is NativeLowering else step, why) for step, why in passes.passes]
        passes.finalize()
        return [passes]
