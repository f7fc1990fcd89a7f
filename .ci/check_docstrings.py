"""Check docstrings and words: what the reference documents has a docstring with the parameters of its signature,
comments of constants and fields are sentences of their own, names in backticks exist, and pages are free of
constructions that readers stumble over."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import tokenize
from enum import Enum
from importlib import import_module
from pathlib import Path

from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))
from reference_pages import documented

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ("models", "solvers", "classifiers", "stats", "src")
PROSE = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
CODES_OBJECT = {"GL08", "SS01", "SS03", "PR01", "PR02", "PR03", "PR06"}
CODES_METHOD = {"GL08", "SS01", "SS03"}
BANNED = re.compile(
    r"(?<!there )\b(is|are) no (?!longer|more|farther)|\bso (many|few)\b|\bcould not be had\b|\bbeside\b"
    r"|\bone (?!(is|at|of|uses) )(\w+ )?an? (cluster|row|point|column|line|site|size|start|pair|feature|class)\b"
    r"|\bis said\b|\bstands (?!for|out)"
    r"|\b(who|no|some)body\b|\bwhoever\b|\bdear(er|est)\b|\bone's own\b|\bfurther (rows|bounds)\b|\bsays? nothing\b"
    r"|\bas far as\b|\bwalls?\b(?! time| clock|`|-)"
)
NAME = re.compile(r"(?<!`)`([A-Za-z_][\w./]*)`(?!`)")  # in code: one pair of backticks refers, two quote
REFERENCE = re.compile(r"`([\w/.]+\.py|partitope(?:\.\w+)+|[A-Z]\w+|\w+_\w*)`")  # what on a page names code of ours
OTHERS = {
    "OPENBLAS_CORETYPE", "NUMBA_CPU_NAME", "NAME_", "f_oneway", "DeprecationWarning", "set_output", "TargetEncoder",
}  # fmt: skip
SENTENCE = re.compile(r"[A-Z\"'`|\d].*\.")  # of a comment
SHAPE = re.compile(r"\([^()]*,[^()]*\):? ?")
WORDS = re.compile(r"[^\W\d_]{2}.* .*[^\W\d_]{3}")  # more than a formula


def public_objects() -> list[tuple[str, object]]:
    """What the reference documents in full, and the backends, which are asked for by name."""
    found: dict[str, object] = {f"partitope.{room}.{name}": thing for room, _, name, thing in documented()}
    backends = import_module("partitope.solvers").BACKENDS
    for entry in backends.own:
        found[backends.entries[entry].replace(":", ".")] = backends[entry]
    return sorted(found.items())


def problems(path: str, thing: object) -> list[str]:
    """Violations of one public object and of the methods it defines itself."""
    if not (inspect.isclass(thing) or inspect.isfunction(thing)):
        return []
    home = f"{thing.__module__}.{thing.__qualname__}"
    codes = CODES_OBJECT - {"PR01"} if _lists_its_fields(thing) else CODES_OBJECT
    found = [f"{path}: {code} {text}" for code, text in validate(home)["errors"] if code in codes]
    if inspect.isclass(thing):
        for name, member in vars(thing).items():
            if name.startswith("_") or not inspect.isfunction(member):
                continue
            inherited = any(getattr(getattr(base, name, None), "__doc__", None) for base in thing.__mro__[1:])
            if not inherited:
                errors = validate(f"{home}.{name}")["errors"]
                found += [f"{path}.{name}: {code} {text}" for code, text in errors if code in CODES_METHOD]
    return found


def _lists_its_fields(thing: object) -> bool:
    """Whether nothing is passed by users: an enumeration, or a result whose every field is listed as an attribute."""
    if inspect.isclass(thing) and issubclass(thing, Enum):
        return True
    if not dataclasses.is_dataclass(thing):
        return False
    attributes = NumpyDocString(inspect.getdoc(thing) or "")["Attributes"]
    named = {name.strip() for entry in attributes for name in entry.name.split(",")}
    return named >= {field.name for field in dataclasses.fields(thing)}


def banned_words() -> list[str]:
    """Banned constructions on README, CONTRIBUTING and the pages, and in comments and texts of the package."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    texts = [(page, 1, page.read_text(encoding="utf-8")) for page in pages]
    for file in (file for room in PACKAGE for file in sorted((ROOT / room).rglob("*.py"))):
        with file.open("rb") as stream:
            prose = [
                token for token in tokenize.tokenize(stream.readline) if token.type in PROSE and " " in token.string
            ]
        texts += [(file, token.start[0], token.string) for token in prose]
    found = []
    for file, first, text in texts:
        for match in BANNED.finditer(re.sub(r"\n *", lambda gap: " " * len(gap[0]), text)):
            line = first + text.count("\n", 0, match.start())
            found.append(f"{file.relative_to(ROOT)}:{line}: {match[0].strip()!r}: write it in plain words")
    return found


def comment_problems() -> list[str]:
    """Numeric constants and fields whose comment is no sentence, constants without one, and fields that share one."""
    found = []
    for room in PACKAGE:
        for file in sorted((ROOT / room).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            tree, lines = ast.parse(text), text.splitlines()
            constants = [node for node in tree.body if _is_constant(node, lines)]
            wrong: list[ast.stmt] = [node for node in constants if not SENTENCE.fullmatch(_comment(node, lines))]
            for thing in ast.walk(tree):
                before = ""
                for field in thing.body if isinstance(thing, ast.ClassDef) else ():
                    comment = SHAPE.sub("", _comment(field, lines)) if isinstance(field, ast.AnnAssign) else ""
                    if WORDS.search(comment) and (comment == before or not SENTENCE.fullmatch(comment)):
                        wrong.append(field)
                    before = comment
            found += [
                f"{file.relative_to(ROOT)}:{node.lineno}: the comment has to be a sentence of its own, with the unit"
                for node in wrong
            ]
    return found


def _is_constant(node: ast.stmt, lines: list[str]) -> bool:
    """Whether numbers, several or computed ones too, are assigned to names in capitals, without a docstring below."""
    if not isinstance(node, ast.Assign) or "".join(lines[node.end_lineno or 0 :][:1]).startswith('"""'):
        return False
    names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    leaves = [leaf.value for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant)]
    other = any(isinstance(leaf, ast.List | ast.Dict) for leaf in ast.walk(node.value))
    codes = leaves == [*range(len(leaves))] or ast.unparse(node.value).startswith("range(")
    numeric = any(leaves) and all(type(leaf) in (int, float) for leaf in leaves) and not codes
    return all(name.strip("_").isupper() for name in names) and numeric and not other


def _comment(node: ast.stmt, lines: list[str]) -> str:
    """The comment behind a statement, or the one above it."""
    behind = lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset :].decode().strip()
    behind = "" if behind.startswith(("# type:", "# noqa", "# fmt:")) else behind
    first = last = node.lineno - 1
    while first > 0 and lines[first - 1].lstrip().startswith("# "):
        first -= 1
    return behind.lstrip("# ") or " ".join(line.strip().lstrip("# ") for line in lines[first:last])


def stale_names() -> list[str]:
    """Names in backticks of docstrings, comments and pages that nothing has: no file, no name in code, no text."""
    rooms = ("models", "solvers", "classifiers", "stats", "src", "studies", "benchmarks", "tests", "examples", "docs")
    files, known = [file for room in rooms for file in sorted((ROOT / room).rglob("*.py"))], {"py", *OTHERS}
    for file in files:
        known.update((*file.parts, file.stem))
        with file.open("rb") as stream:
            for token in tokenize.tokenize(stream.readline):
                if token.type == tokenize.NAME or re.fullmatch(r"[\"'][\w.:/-]+[\"']", token.string):
                    known.update(re.split(r"\W", token.string))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    found = []
    for file in (*files, *pages):
        pattern = NAME if file.suffix == ".py" else REFERENCE
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            names = [match[1] for match in pattern.finditer(line) if file.parent.name != "notebooks"]
            stale = [name for name in names if not known.issuperset(filter(None, re.split(r"[./]", name)))]
            found += [f"{file.relative_to(ROOT)}:{number}: nothing is called `{name}`" for name in stale]
    return found


def main() -> int:
    """Print every violation; exit status 1 when there is one."""
    everything = public_objects()
    found = [line for path, thing in everything for line in problems(path, thing)]
    words = [*banned_words(), *comment_problems(), *stale_names()]
    count = f"{len(everything)} public objects, {len(found)} docstring problems, {len(words)} problems of words"
    sys.stdout.write("\n".join([*found, *words, count]) + "\n")
    found += words
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
