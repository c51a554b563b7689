"""What is a complaint of a compiler or linter, whatever form it was printed in?"""

from __future__ import annotations

from trueup.evidence.parsers.found import Found
from trueup.evidence.places import Frame
from trueup.evidence.told import Phase
from trueup.evidence.values import Value


class Complaint(Value):
    path: str
    line: int
    column: int = 0
    severity: str
    code: str
    message: str
    compiler: bool = False
    at: int
    """The number of the line that tells it."""
    source: str | None = None

    @property
    def identity(self) -> tuple[str, int, int, str, str]:
        return self.path, self.line, self.column, self.code, self.message

    def found(self) -> Found:
        return Found(
            owner=self.path,
            name=self.code,
            glue=" ",
            phase=Phase.BUILD if self.compiler else Phase.RUN,
            kind=self.code or self.severity or "error",
            message=self.message,
            frame=Frame(path=self.path, line=self.line, source=self.source),
            test=False,
            span=(self.at,),
        )
