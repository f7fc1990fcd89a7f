"""Checks of exercises: what a student reads is a sentence, never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def exercise(number: int) -> Iterator[None]:
    """Check the answer to an exercise by the assertions in its block, and say in one line what came of it."""
    try:
        yield
    except NameError as error:
        said = f"there is no `{error.name}` yet."
    except AssertionError as error:
        reason = str(error)
        said = f"not yet. {reason[:1].upper()}{reason[1:]}."
    except Exception as error:
        said = f"the answer cannot be read ({type(error).__name__}: {error}). See what the exercise asks you to keep."
    else:
        said = "right."
    sys.stdout.write(f"Exercise {number}: {said}\n")
