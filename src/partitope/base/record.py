"""What a JSON object, or a set of keyword options, holds; this file imports nothing, so that help loads at once."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]
