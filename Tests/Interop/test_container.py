"""The Containerfile, as far as it can be checked without a builder: paths, user, volume, copied files."""

from __future__ import annotations

import fnmatch
import json
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from support.program import EX_OK, REPOSITORY, Program


@dataclass
class Stage:
    base: str
    name: str | None
    # Instructions with their arguments, in order.
    lines: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        return [arguments for name, arguments in self.lines if name == instruction]

    def packages(self) -> set[str]:
        """The packages that its `apt-get install` names."""
        (install,) = (line for line in self.all("RUN") if "apt-get install" in line)
        words = install.split("apt-get install")[1].split("&&")[0].split()
        return {word for word in words if not word.startswith("-")}


def stages() -> list[Stage]:
    text = re.sub(r"\\\n", " ", (REPOSITORY / "Containerfile").read_text())
    result: list[Stage] = []
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        instruction, arguments = line.split(maxsplit=1)
        if instruction == "FROM":
            base, *alias = arguments.split()
            result.append(Stage(base, alias[1] if alias else None))
        else:
            result[-1].lines.append((instruction, " ".join(arguments.split())))
    return result


BUILD, IMAGE = stages()


def test_program_is_where_make_install_puts_it() -> None:
    (install,) = (line for line in BUILD.all("RUN") if "make install" in line)
    settings = dict(re.findall(r"(DESTDIR|PREFIX)=(\S+)", install))
    (copy,) = IMAGE.all("COPY")
    origin, source, target = copy.split()
    assert origin == f"--from={BUILD.name}"
    # scripts/install-files puts the program in the prefix's bin.
    assert source == f"{settings['DESTDIR']}{settings['PREFIX']}/bin/understudy"
    (entry,) = IMAGE.all("ENTRYPOINT")
    assert json.loads(entry) == [target]


def test_state_belongs_to_the_user() -> None:
    """A new volume gets owner and mode of the folder in the image, so the folder must exist and belong to the user."""
    (user,) = IMAGE.all("USER")
    (volume,) = IMAGE.all("VOLUME")
    (run,) = IMAGE.all("RUN")
    assert user != "root"
    commands = [command.split() for command in run.split("&&")]
    (added,) = (command for command in commands if command[0] == "useradd")
    (made,) = (command for command in commands if command[0] == "install")
    assert commands.index(added) < commands.index(made)
    assert added[-1] == user and "--create-home" in added and "dialout" in added[added.index("--groups") + 1]
    assert made[-1] == volume and volume.startswith(f"/home/{user}/")
    assert made[made.index("--owner") + 1] == made[made.index("--group") + 1] == user
    assert made[made.index("--mode") + 1] == "0700"
    assert f"XDG_STATE_HOME={volume}" in IMAGE.all("ENV")
    # All of that as root.
    names = [name for name, _ in IMAGE.lines]
    assert names.index("RUN") < names.index("USER") < names.index("ENTRYPOINT")


def test_packages_are_those_that_a_build_and_the_program_need() -> None:
    script = (REPOSITORY / "scripts/install-dependencies").read_text()
    listed = script[script.index("find_missing() {") : script.index("# Sets `run`")]
    wanted = re.findall(r"^  want (\S+)", listed, re.MULTILINE)
    assert "libyaml-dev" in wanted and BUILD.packages() == set(wanted)
    assert IMAGE.packages() == {"libudev1", "libstdc++6"}
    # The same Debian, so that the libraries are the same.
    assert BUILD.base.endswith("-bookworm") and IMAGE.base == "debian:bookworm-slim"


def test_what_is_copied_in_is_the_repository_and_no_more() -> None:
    patterns = [
        line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")
    ]

    def ignored(path: str) -> bool:
        parents = ["/".join(path.split("/")[:count]) for count in range(1, path.count("/") + 2)]
        return any(
            fnmatch.fnmatchcase(parent, pattern) or fnmatch.fnmatchcase(f"x/{parent}", pattern.replace("**/", "*/"))
            for parent in parents
            for pattern in patterns
        )

    assert ignored(".git/HEAD") and ignored(".build/debug/understudy") and ignored(".venv/bin/python")
    assert ignored("Examples/SwiftTests/.build/x") and ignored("Tests/Interop/__pycache__/x.pyc")
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    assert [path for path in tracked.splitlines() if ignored(path)] == []


async def test_default_command_runs_with_such_a_folder(tmp_path: Path) -> None:
    (command,) = IMAGE.all("CMD")
    state = tmp_path / "state"
    state.mkdir(0o700)
    program = Program.begin(*json.loads(command), "--for", "100ms", "--json", environment={"XDG_STATE_HOME": str(state)})
    assert await program.wait() == EX_OK, program.errors
    assert list((state / "understudy").iterdir())
