"""Do the built-in verifiers leave popular packages alone, as they were published?

`python scripts/sdists.py FOLDER [NAME…]` fetches source distributions into FOLDER (outside the repository) and unpacks
them; with `--check` it runs the static verifiers on each and prints a table. What counts there is a false alarm.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess  # noqa: TID251 - a script, not the program
import sys
import tarfile
import urllib.request
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

from packaging.version import InvalidVersion, Version

POPULAR = """
requests flask django click jinja2 werkzeug attrs pydantic fastapi starlette uvicorn httpx rich typer pytest black isort
sqlalchemy alembic celery redis boto3 urllib3 certifi idna pyyaml python-dateutil pytz six packaging setuptools wheel
virtualenv tox poetry-core tqdm beautifulsoup4 pillow cryptography paramiko aiohttp tornado scrapy marshmallow
jsonschema docutils sphinx babel mypy coverage hypothesis networkx tabulate loguru structlog gunicorn psutil simplejson
markdown pygments ipython jedi pip
""".split()  # noqa: SIM905 - easier to read and to extend
INDEX = "https://pypi.org/simple/"
STATIC = ("syntax", "encoding", "imports", "coherence")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*", default=POPULAR)
    asked.add_argument("--check", action="store_true")
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.names:
        place = fetched(name, given.folder)
        if place is None:
            sys.stderr.write(f"{name}: no source distribution was found\n")
        elif given.check:
            sys.stdout.write(f"{row(place)}\n")
            sys.stdout.flush()


def fetched(name: str, folder: Path) -> Path | None:
    """The unpacked newest source distribution; fetched once."""
    kept = next(folder.glob(f"{name}/*/"), None)
    if kept is not None:
        return kept
    url = newest(name)
    if url is None:
        return None
    archive = folder / url.rpartition("/")[2].partition("#")[0]
    with urllib.request.urlopen(url, timeout=120) as answer:  # noqa: S310 - the index's own address
        archive.write_bytes(answer.read())
    with tarfile.open(archive) as tar:
        tar.extractall(folder / name, filter="data")
    archive.unlink()
    return next((folder / name).glob("*/"), None)


def newest(name: str) -> str | None:
    """Of the versions that are no preview."""
    with urllib.request.urlopen(urljoin(INDEX, f"{name}/"), timeout=60) as answer:  # noqa: S310 - as above
        page = answer.read().decode()
    links = [unescape(link) for link in re.findall(r'href="([^"]+?\.tar\.gz(?:#[^"]*)?)"', page)]
    versions = {version: link for link in links if (version := _version(link)) and not version.is_prerelease}
    return urljoin(urljoin(INDEX, f"{name}/"), versions[max(versions)]) if versions else None


def _version(link: str) -> Version | None:
    file = link.partition("#")[0].rpartition("/")[2].removesuffix(".tar.gz")
    try:
        return Version(file.rpartition("-")[2])
    except InvalidVersion:
        return None


def row(place: Path) -> str:
    command = [sys.executable, "-m", "trueup", "check", "--builtin", "--json", "-C", str(place)]
    command += [word for name in STATIC for word in ("--verifier", name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return f"| {place.name} | error | {done.stderr.strip()[:200]} |"
    failures = [f"{f['kind']}: {f['file']}:{f['line']} {f['message'][:110]}" for f in found["failures"]]
    return f"| {place.name} | {done.returncode} | {len(failures)} | {'; '.join(failures[:6])} |"


if __name__ == "__main__":
    main()
