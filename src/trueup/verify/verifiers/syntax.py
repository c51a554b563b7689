"""Does every source file parse?"""

from __future__ import annotations

from trueup.evidence.failure import Failure, Phase
from trueup.verify.verifiers.base import Bench, Reach, Verdict


class Syntax:
    name = "syntax"
    question = "does every source file parse?"
    reach = Reach.STATIC
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        failures = []
        looked = 0
        for path in bench.files.ending(".py"):
            looked += 1
            parsed = bench.files.python(path)
            if isinstance(parsed, SyntaxError):
                failures.append(
                    Failure(
                        check=self.name,
                        subject=f"{path} python",
                        phase=Phase.BUILD,
                        kind="SyntaxError",
                        message=f"SyntaxError: {parsed.msg}",
                        file=path,
                        line=parsed.lineno,
                        test=False,
                    )
                )
        if not looked:
            return Verdict(skipped="no Python file")
        return Verdict(failures=tuple(failures), looked_at=looked)
