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


def _prefixed(prefix: str, text: str) -> str:
    return "\n".join(f"{prefix}{line}" if line else prefix.rstrip() for line in text.split("\n"))


def _gitlab(text: str) -> str:
    """Sections that fold, coloured commands."""
    return (
        'section_start:1772450553:step_script\r\x1b[0K\x1b[0K\x1b[36;1mExecuting "step_script" stage of the job '
        "script\x1b[0;m\n\x1b[32;1m$ ./check.sh\x1b[0;m\n"
        f"{text}\n"
        "section_end:1772450561:step_script\r\x1b[0K\x1b[31;1mERROR: Job failed: exit code 1\n\x1b[0;m\n"
    )


def _gitlab_stamped(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(f"2026-03-02T11:22:{n // 10 % 60:02}.{n % 1000:06}Z 01O {line}" for n, line in enumerate(lines))


def _compose(text: str) -> str:
    return (
        " Container shop-tests-1  Created\nAttaching to tests-1\n"
        f"{_prefixed('tests-1  | ', text)}\n"
        "tests-1 exited with code 1\nAborting on container exit...\n"
    )


def _turbo(text: str) -> str:
    return (
        "• Packages in scope: web\n• Running test in 1 packages\n• Remote caching disabled\n"
        "web:test: cache miss, executing 9f2ab1c044d01e77\n"
        f"{_prefixed('web:test: ', text)}\n"
        "web:test: ERROR: command finished with error: command (/home/ci/work/shop) npm run test exited (1)\n"
        "\n Tasks:    0 successful, 1 total\nCached:    0 cached, 1 total\n  Time:    2.315s \nFailed:    web#test\n\n"
        " ERROR  run failed: command  exited (1)\n"
    )


def _concurrently(text: str) -> str:
    return f"{_prefixed('[1] ', text)}\n[1] npm run test exited with code 1\n"


def _nx(text: str) -> str:
    return (
        "\n> nx run shop:test\n\n"
        f"{text}\n\n\n NX   Running target test for project shop failed\n\nFailed tasks:\n\n- shop:test\n\n"
        "Hint: run the command with --verbose for more details.\n\n"
    )


def _buildkite(text: str) -> str:
    lines = text.split("\n")
    said = "\n".join(f"\x1b_bk;t={1772450553000 + n * 37}\x07{line}" for n, line in enumerate(lines))
    return (
        "~~~ Running commands\n\x1b[90m$\x1b[0m ./check.sh\n"
        f"{said}\n\x1b[31m🚨 Error: The command exited with status 1\x1b[0m\n^^^ +++\n"
        "user command error: exit status 1\n"
    )


def _azure(text: str) -> str:
    return _stamped(
        "##[section]Starting: tests\n========================== Starting Command Output ===========================\n"
        f"{text}\n##[error]Bash exited with code '1'.\n##[section]Finishing: tests\n"
    )


def _honcho(text: str) -> str:
    lines = text.split("\n")
    said = "\n".join(f"11:22:{n // 10 % 60:02} test.1  | {line}" for n, line in enumerate(lines))
    return f"11:22:01 system  | test.1 started (pid=4711)\n{said}\n11:22:59 system  | test.1 stopped (rc=1)\n"


def _pnpm(text: str) -> str:
    return (
        "Scope: 1 of 3 workspace projects\npackages/shop test$ ./check.sh\n"
        f"{_prefixed('packages/shop test: ', text)}\npackages/shop test: Failed\n"
        "/home/ci/work/shop/packages/shop:\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  shop@1.4.2 test: `./check.sh`\n"
        "Exit status 1\n ELIFECYCLE  Test failed. See above for more details.\n"
    )


def _yarn(text: str) -> str:
    return (
        "yarn run v1.22.22\n$ ./check.sh\n"
        f"{text}\nerror Command failed with exit code 1.\n"
        "info Visit https://yarnpkg.com/en/docs/cli/run for documentation about this command.\n"
    )


def _just(text: str) -> str:
    return f"./check.sh --all\n{text}\nerror: Recipe `test` failed on line 14 with exit code 1\n"


def _tox(text: str) -> str:
    return (
        "py311: commands[0]> ./check.sh\n"
        f"{text}\npy311: exit 1 (0.32 seconds) /home/ci/work/shop> ./check.sh pid=4711\n"
        "  py311: FAIL code 1 (0.41=setup[0.02]+cmd[0.39] seconds)\n  evaluation failed :( (0.55 seconds)\n"
    )


def _nox(text: str) -> str:
    return (
        "nox > Running session tests-3.11\nnox > Re-using existing virtual environment at .nox/tests-3-11.\n"
        f"nox > ./check.sh\n{text}\nnox > Command ./check.sh failed with exit code 1\n"
        "nox > Session tests-3.11 failed.\n"
    )


def _hook(text: str) -> str:
    """pre-commit."""
    return (
        "trim trailing whitespace.................................................Passed\n"
        "check....................................................................Failed\n"
        f"- hook id: check\n- exit code: 1\n\n{text}\n\n"
        "end of files.............................................................Passed\n"
    )


def _pod(text: str) -> str:
    return _prefixed("[pod/tests-x7k2p/tests] ", text)


WRAPPINGS: Mapping[str, Callable[[str], str]] = {
    "crlf": _crlf,
    "gha": _stamped,
    "jenkins": _jenkins,
    "docker": _image_build,
    "npm": _npm,
    "make": _make,
    "workflow": _workflow,
    # made up after all parsers
    "gitlab": _gitlab,
    "gitlab stamps": _gitlab_stamped,
    "compose": _compose,
    "turbo": _turbo,
    "concurrently": _concurrently,
    "nx": _nx,
    "buildkite": _buildkite,
    "azure": _azure,
    "honcho": _honcho,
    "pnpm": _pnpm,
    "yarn": _yarn,
    "just": _just,
    "tox": _tox,
    "nox": _nox,
    "pre-commit": _hook,
    "kubectl": _pod,
}
