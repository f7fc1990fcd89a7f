"""Which packages there are, counted on the disk; everything else about the package is in pyproject.toml."""

import warnings

from setuptools import find_packages, setup

# The rooms are folders of the checkout; links below src/partitope lead to them where a system has links.
ROOMS = ("models", "solvers", "classifiers", "stats")
rooms = {f"partitope.{name}" for name in find_packages(include=[*ROOMS, *(f"{room}.*" for room in ROOMS)])}
# setuptools warns of a folder with the package's name beside this file, whether there is one or not; there is none
warnings.filterwarnings("ignore", message="Editable installation")
setup(packages=sorted(rooms | set(find_packages("src"))))
