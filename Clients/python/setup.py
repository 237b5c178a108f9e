"""Installs a file beside the package, for which pyproject.toml has no key. It makes Python read UNDERSTUDY_BLEAK when it starts."""

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Also copies that file. An editable install does not have it; `python -m understudy.bleak` does the same there."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_file("understudy-bleak.pth", self.build_lib)


setup(cmdclass={"build_py": BuildPy})
