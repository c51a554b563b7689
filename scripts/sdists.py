"""Do the built-in verifiers leave popular packages alone, as they were published?

`python scripts/sdists.py FOLDER [NAME…]` fetches source distributions into FOLDER (outside the repository) and unpacks
them; with `--check` it runs the static verifiers on each and prints a table. What counts there is a false alarm.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tarfile
import tempfile
import time
import urllib.request
from html import unescape
from pathlib import Path
from urllib.parse import urljoin

from packaging.version import InvalidVersion, Version

from trueup.act.files import FileRules
from trueup.act.process import Processes
from trueup.act.source_files import SourceFiles
from trueup.verify.verifiers.running import Workshop, verify_tree

POPULAR = """
requests flask django click jinja2 werkzeug attrs pydantic fastapi starlette uvicorn httpx rich typer pytest black isort
sqlalchemy alembic celery redis boto3 urllib3 certifi idna pyyaml python-dateutil pytz six packaging setuptools wheel
virtualenv tox poetry-core tqdm beautifulsoup4 pillow cryptography paramiko aiohttp tornado scrapy marshmallow
jsonschema docutils sphinx babel mypy coverage hypothesis networkx tabulate loguru structlog gunicorn psutil simplejson
markdown pygments ipython jedi pip
""".split()  # noqa: SIM905 - easier to read and to extend
STATIC = ("syntax", "encoding", "imports", "coherence")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("names", nargs="*", default=POPULAR)
    asked.add_argument("--check", action="store_true")
    asked.add_argument("--index", default=os.environ.get("PIP_INDEX_URL"), help="a package index with simple pages")
    given = asked.parse_args()
    if not given.index:
        asked.error("which package index? Say so with --index URL, or set PIP_INDEX_URL")
    given.folder.mkdir(parents=True, exist_ok=True)
    with Processes() as processes, tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch)
        workshop = Workshop(processes=processes, env=dict(os.environ), scratch=kept / "own", cache=kept / "kept")
        for name in given.names:
            place = fetched(name, given.folder, given.index.rstrip("/"))
            if place is None:
                sys.stderr.write(f"{name}: no source distribution was found\n")
            elif given.check:
                sys.stdout.write(f"{row(place, workshop)}\n")
                sys.stdout.flush()


def fetched(name: str, folder: Path, index: str) -> Path | None:
    """The unpacked newest source distribution; fetched once."""
    kept = next(folder.glob(f"{name}/*/"), None)
    if kept is not None:
        return kept
    url = newest(f"{index}/{name}/")
    if url is None:
        return None
    archive = folder / url.rpartition("/")[2].partition("#")[0]
    with urllib.request.urlopen(url, timeout=120) as answer:  # noqa: S310 - the index's own address
        archive.write_bytes(answer.read())
    with tarfile.open(archive) as tar:
        tar.extractall(folder / name, filter="data")
    archive.unlink()
    return next((folder / name).glob("*/"), None)


def newest(page_of: str) -> str | None:
    """Of the versions that are no preview."""
    with urllib.request.urlopen(page_of, timeout=60) as answer:  # noqa: S310 - as above
        page = answer.read().decode()
    links = [unescape(link) for link in re.findall(r'href="([^"]+?\.tar\.gz(?:#[^"]*)?)"', page)]
    versions = {version: link for link in links if (version := _version(link)) and not version.is_prerelease}
    return urljoin(page_of, versions[max(versions)]) if versions else None


def _version(link: str) -> Version | None:
    file = link.partition("#")[0].rpartition("/")[2].removesuffix(".tar.gz")
    try:
        return Version(file.rpartition("-")[2])
    except InvalidVersion:
        return None


def row(place: Path, workshop: Workshop) -> str:
    """One line of the table: how many files, what counts, what is advice."""
    began = time.process_time()
    files = SourceFiles(place, FileRules().walk(place).paths)
    verdicts = verify_tree(files, STATIC, workshop)
    counts = [failure for verdict in verdicts.values() for failure in verdict.failures]
    advice = sum(len(verdict.advice) for verdict in verdicts.values())
    errors = [f"{name}: {verdict.error}" for name, verdict in verdicts.items() if verdict.error]
    said = [f"{f.kind} {f.file}:{f.line} {f.message[:80]}" for f in counts]
    cpu = f"{time.process_time() - began:.1f}"
    return f"| {place.name} | {len(files.paths)} | {len(counts)} | {advice} | {cpu} | {'; '.join([*errors, *said])} |"


if __name__ == "__main__":
    main()
