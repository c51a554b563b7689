"""What do a CI system and a build tool write around and before the lines of another tool?"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

_STEP = 0.0137


def _crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


def _stamped(text: str) -> str:
    """GitHub's raw logs."""
    lines = text.split("\n")
    return "\n".join(f"2026-03-02T11:22:{n // 10 % 60:02}.{n % 10:07}Z {line}" for n, line in enumerate(lines))


def _jenkins(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(f"[2026-03-02T11:22:{n // 10 % 60:02}.{n % 1000:03}Z] {line}" for n, line in enumerate(lines))


def _image_build(text: str) -> str:
    """`docker build --progress=plain`."""
    clock = itertools.count(start=1.2, step=_STEP)
    ran = "\n".join(f"#9 {at:.3f} {line}" for at, line in zip(clock, text.split("\n"), strict=False))
    return (
        "#1 [internal] load build definition from Dockerfile\n#1 transferring dockerfile: 312B done\n#1 DONE 0.0s\n"
        f'#9 [5/6] RUN make check\n{ran}\n#9 ERROR: process "/bin/sh -c make check" did not complete '
        "successfully: exit code: 2\n"
    )


def _npm(text: str) -> str:
    return (
        "\n> shop@1.4.2 check\n> node scripts/check.js\n\n"
        f"{text}\n"
        "npm error Lifecycle script `check` failed with error:\nnpm error code 2\nnpm error path /home/ci/work/shop\n"
        "npm error workspace shop@1.4.2\nnpm error location /home/ci/work/shop\nnpm error command failed\n"
        "npm error command sh -c node scripts/check.js\n"
    )


def _make(text: str) -> str:
    return (
        "make[1]: Entering directory '/home/ci/work/shop'\npython3 -m build_step --all\n"
        f"{text}\n"
        "make[1]: *** [Makefile:17: check] Error 2\nmake[1]: Leaving directory '/home/ci/work/shop'\n"
        "make: *** [Makefile:4: all] Error 2\n"
    )


def _workflow(text: str) -> str:
    return (
        "##[group]Run ./check.sh\n./check.sh\nshell: /usr/bin/bash -e {0}\n##[endgroup]\n"
        "Downloading caches... done in 3.2s\n"
        f"{text}\n"
        "##[error]Process completed with exit code 2.\nPost job cleanup.\n"
    )


WRAPPINGS: Mapping[str, Callable[[str], str]] = {
    "crlf": _crlf,
    "gha": _stamped,
    "jenkins": _jenkins,
    "docker": _image_build,
    "npm": _npm,
    "make": _make,
    "workflow": _workflow,
}
