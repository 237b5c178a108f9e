"""What pyproject.toml has no key for: a file beside the package, by which Python reads UNDERSTUDY_BLEAK at its start."""

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildPy(build_py):
    """Copies that file, too. An editable install goes without: there, `python -m understudy.bleak` does the same."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_file("understudy-bleak.pth", self.build_lib)


setup(cmdclass={"build_py": BuildPy})
