"""A fit that fails changes nothing: what is learnt is set in one step, when all of it is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import isfunction
from typing import Any

FITS = ("fit", "fit_transform", "fit_predict")
RUNNING = "_fit_is_running"


class AtomicFit:
    """Base of estimators whose fit works on a new object and replaces all attributes at its end, without those of a
    former fit: any exception, Ctrl-C included, leaves the estimator as it was. The methods `FITS` are wrapped."""

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        for name in FITS:
            if isfunction(vars(cls).get(name)):
                setattr(cls, name, _atomic(vars(cls)[name]))


def _atomic(fit: Callable[..., Any]) -> Callable[..., Any]:
    """The method, run on a new object that has all but what was learnt before."""

    @wraps(fit)
    def fit_anew(self: Any, *arguments: object, **options: object) -> Any:
        if RUNNING in vars(self):  # one fit calls another, of the class or of a base
            return fit(self, *arguments, **options)
        new, parameters = object.__new__(type(self)), self.get_params(deep=False)
        kept = {name: value for name, value in vars(self).items() if name in parameters or not name.endswith("_")}
        vars(new).update(kept, **{RUNNING: True})
        result = fit(new, *arguments, **options)
        del vars(new)[RUNNING]
        self.__dict__ = vars(new)
        return self if result is new else result

    return fit_anew
