"""Everything about the package stands in pyproject.toml; this only keeps an editable installation silent."""

import warnings

from setuptools import setup

# setuptools warns of a folder with the package's name beside this file, whether there is one or not; there is none
warnings.filterwarnings("ignore", message="Editable installation")
setup()
