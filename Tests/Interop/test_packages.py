"""The files of `make install`, `make deb` and `make tarball`. Their program is a short script that calls the one under test.

With UNDERSTUDY_PACKAGES=FOLDER, existing packages of a release build are also tested on a bare Debian.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bumble import hci
from bumble.host import Host
from bumble.transport.tcp_client import open_tcp_client_transport

from support.central import Central
from support.program import executable

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = os.environ.get("UNDERSTUDY_PACKAGES")
PATIENCE = 120

# One worker runs them all, because they share the installed files.
pytestmark = pytest.mark.xdist_group("packages")


def call(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("program") / "understudy"
    program.write_text(f'#!/bin/sh\nexec "{executable().resolve()}" "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module")
def installed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("installed")
    call(ROOT / "scripts/install-files", program, DESTDIR=str(root), PREFIX="/usr")
    return root


def test_everything_is_installed(installed: Path) -> None:
    assert call(installed / "usr/bin/understudy", "--version").startswith("0.")
    for path in (
        "lib/udev/rules.d/70-understudy.rules",
        "lib/systemd/system/understudy@.service",
        "share/bash-completion/completions/understudy",
        "share/zsh/vendor-completions/_understudy",
        "share/fish/vendor_completions.d/understudy.fish",
        "share/man/man1/understudy-run.1.gz",
        "share/understudy/python/README.md",
        "share/understudy/profile.schema.json",
        "share/understudy/scenario.schema.json",
        "share/understudy/fleet.schema.json",
    ):
        assert (installed / "usr" / path).is_file(), path
    assert not list(installed.rglob("*.pyc"))


def test_the_python_client_is_a_wheel(installed: Path, tmp_path: Path) -> None:
    """It is installed from a read-only folder, and pip builds nothing."""
    (wheel,) = (installed / "usr/share/understudy/python").glob("*.whl")
    call(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", tmp_path, wheel)
    script = """
import importlib.metadata, understudy, understudy.pytest_plugin
client = importlib.metadata.distribution("understudy")
print(understudy.__file__, client.metadata["Requires-Python"], *[point.value for point in client.entry_points])
# pip puts programs elsewhere below a target than it notes.
print(all(file.locate().exists() for file in client.files if file.parts[-2:-1] != ("bin",)), any(file.name == "py.typed" for file in client.files))
"""
    found = call(sys.executable, "-c", script, PYTHONPATH=str(tmp_path)).split()
    commands = [f"understudy.{extra}._command:main" for extra in ("bluez", "netsim", "pandora")]
    places = ["understudy.pytest_plugin", *commands]
    assert found == [str(tmp_path / "understudy/__init__.py"), ">=3.11", *places, "True", "True"]


def test_the_wheel_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        call(ROOT / "scripts/make-wheel", tmp_path / name)
    one, two = (next((tmp_path / name).glob("*.whl")).read_bytes() for name in ("one", "two"))
    assert one == two


def test_init_finds_the_installed_client(installed: Path, tmp_path: Path) -> None:
    """For an installed program, and for one without its files."""
    root, alone = tmp_path / "with space", tmp_path / "alone"
    alone.mkdir()
    shutil.copytree(installed / "usr/share/understudy", root / "share/understudy")
    (root / "bin").mkdir()
    for folder in (root / "bin", alone):
        shutil.copy(executable(), folder / "understudy")
    (wheel,) = (root / "share/understudy/python").glob("*.whl")
    begun = call(root / "bin/understudy", "init", tmp_path / "tests")
    assert f"pip install -r requirements.txt '{wheel}' && pytest" in begun
    assert f"'{wheel}'" in (tmp_path / "tests/README.md").read_text()
    begun = json.loads(call(alone / "understudy", "init", tmp_path / "others", "--json"))
    assert begun["python_client"] is None
    assert "share/understudy/python of a package" in (tmp_path / "others/README.md").read_text()


def test_a_prefix_of_ones_own(program: Path, tmp_path: Path) -> None:
    call(ROOT / "scripts/install-files", program, DESTDIR=str(tmp_path), PREFIX="/opt/understudy")
    assert (tmp_path / "opt/understudy/bin/understudy").is_file()
    unit = (tmp_path / "etc/systemd/system/understudy@.service").read_text()
    assert "ExecStart=/opt/understudy/bin/understudy run " in unit


def test_manual_pages_are_well_formed(installed: Path) -> None:
    pages = sorted((installed / "usr/share/man/man1").glob("*.gz"))
    names = {page.name.removesuffix(".1.gz") for page in pages}
    assert {"understudy", "understudy-run", "understudy-init", "understudy-bonds-alter", "understudy-learn"} <= names
    assert "understudy-help" not in names
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    for page in pages:
        script = f"zcat '{page}' | groff -man -Tutf8 -ww -z"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=PATIENCE)
        assert (done.returncode, done.stderr) == (0, ""), page
    text = call("bash", "-c", f"zcat '{pages[0].parent}/understudy-run.1.gz' | groff -man -Tascii -P-cbou")
    assert "--controller" in text and "Control-C" in text


@pytest.mark.parametrize(
    ("shell", "path"),
    [
        ("bash", "bash-completion/completions/understudy"),
        ("zsh", "zsh/vendor-completions/_understudy"),
        ("fish", "fish/vendor_completions.d/understudy.fish"),
    ],
)
def test_completions_are_read_by_their_shells(installed: Path, shell: str, path: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    call(shell, "-n", installed / "usr/share" / path)


def test_the_unit_is_one_of_systemd(installed: Path, tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "understudy@.service"
    text = (installed / "usr/lib/systemd/system/understudy@.service").read_text()
    # The program must exist, or nothing else is checked.
    unit.write_text(text.replace("/usr/bin/understudy", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=PATIENCE
    )
    assert [line for line in done.stderr.splitlines() if "understudy" in line] == []
    security = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True, timeout=PATIENCE
    )
    exposure = [line for line in security.stdout.splitlines() if "Overall exposure level" in line]
    if exposure:
        assert float(exposure[0].split(":")[1].split()[0]) < 3, exposure[0]


def test_the_tarball_is_the_same_each_time(program: Path, tmp_path: Path) -> None:
    sums = set()
    for name in ("one", "two"):
        call(ROOT / "scripts/make-tarball", program, tmp_path / name)
        (archive,) = (tmp_path / name).iterdir()
        sums.add(hashlib.sha256(archive.read_bytes()).hexdigest())
    assert len(sums) == 1
    names = call("tar", "tzf", archive).splitlines()
    assert {name.split("/")[0] for name in names} == {archive.name.removesuffix(".tar.gz")}
    call("tar", "xzf", archive, "-C", tmp_path)
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    assert (folder / "LICENSE").is_file()
    assert call(folder / "bin/understudy", "profiles")
    # Built-in data needs no file beside the program.
    assert "0 failed" in call(folder / "bin/understudy", "test", "ota")


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg-deb is not installed")
def test_the_package_of_debian(program: Path, tmp_path: Path) -> None:
    sums = set()
    for name in ("one", "two"):
        call(ROOT / "scripts/make-deb", program, tmp_path / name)
        (package,) = (tmp_path / name).iterdir()
        sums.add(hashlib.sha256(package.read_bytes()).hexdigest())
    assert len(sums) == 1
    assert call("dpkg-deb", "--field", package, "Package").strip() == "understudy"
    call("dpkg-deb", "--raw-extract", package, tmp_path / "tree")
    # The pages that messages name as docs/….md.
    assert (tmp_path / "tree/usr/share/doc/understudy/docs/events.md").is_file()
    assert (tmp_path / "tree/usr/bin/understudy").is_file()
    call("bash", "-c", f"cd '{tmp_path}/tree' && md5sum --check --quiet --strict DEBIAN/md5sums")
    for script in ("postinst", "postrm"):
        call("sh", "-n", tmp_path / "tree/DEBIAN" / script)


# On a bare Debian


@pytest.fixture
def debian(tmp_path: Path) -> Iterator[Path]:
    """A minimal Debian in a folder."""
    if not PACKAGES:
        pytest.skip("UNDERSTUDY_PACKAGES does not name the packages of a release build")
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("a Debian in a folder needs root and debootstrap")
    root = Path(os.environ.get("UNDERSTUDY_DEBIAN", tmp_path / "debian"))
    if not (root / "usr/bin/apt-get").exists():
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], check=True, timeout=900)
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    yield root
    subprocess.run(["umount", root / "proc"], check=True)


def inside(root: Path, *command: str) -> list[str]:
    return ["chroot", str(root), "/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", *command]


async def read_by_a_central(root: Path, program: str) -> None:
    """Reads the heart-rate belt of the program in that folder with a Bumble central."""
    process = await asyncio.create_subprocess_exec(
        *inside(root, program, "run", "heart-rate", "--ephemeral", "--json"), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout
        while b'"event":"ready"' not in (line := await asyncio.wait_for(process.stdout.readline(), PATIENCE)):
            assert line, "the program has ended"
        ready = json.loads(line)
        transport = await open_tcp_client_transport(f"127.0.0.1:{ready['ports'][0]}")
        central = await Central.open(Host(transport.source, transport.sink), "F0:00:00:00:00:01")
        session = await central.connect(hci.Address(ready["address"]))
        assert await session.read(await session.handle_of("2A38")) == b"\x01"
        await transport.close()
    finally:
        process.terminate()
        await process.wait()


def files(root: Path) -> set[str]:
    ignored = ("proc", "sys", "dev", "run", "tmp", "var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "root")
    found = subprocess.run(["find", ".", "-xdev", "-printf", "%P\n"], cwd=root, capture_output=True, text=True, check=True)
    return {path for path in found.stdout.splitlines() if not path.startswith(ignored)}


@pytest.mark.timeout(1200)
async def test_installed_used_and_purged_on_a_bare_debian(debian: Path) -> None:
    (package,) = Path(PACKAGES or "").glob("*.deb")
    before = files(debian)
    shutil.copy(package, debian / "tmp/understudy.deb")
    subprocess.run(inside(debian, "apt-get", "install", "-y", "--no-install-recommends", "/tmp/understudy.deb"), check=True, timeout=600)
    await read_by_a_central(debian, "/usr/bin/understudy")
    subprocess.run(inside(debian, "dpkg", "--purge", "understudy"), check=True, timeout=60)
    assert {path for path in files(debian) - before if "understudy" in path} == set()


@pytest.mark.timeout(600)
async def test_the_tarball_runs_on_a_bare_debian(debian: Path) -> None:
    (archive,) = Path(PACKAGES or "").glob("*.tar.gz")
    target = debian / "tmp/unpacked"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    call("tar", "xzf", archive, "-C", target)
    folder = archive.name.removesuffix(".tar.gz")
    await read_by_a_central(debian, f"/tmp/unpacked/{folder}/bin/understudy")
