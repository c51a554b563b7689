"""Do the parts of a project refer to things that exist?

A rule that can be wrong only gives advice. What counts is what no tool could make sense of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trueup.act.source_files import SourceFiles
from trueup.evidence.failure import Failure
from trueup.verify.verifiers import compose_rules, package_rules, path_rules, port_rules
from trueup.verify.verifiers.base import Bench, Reach, Verdict

Rule = Callable[[SourceFiles], Iterator[tuple[Failure, bool]]]
"""What it found, each with whether it counts."""

RULES: tuple[Rule, ...] = (
    path_rules.copied_into_images,
    path_rules.named_in_workflows,
    compose_rules.services,
    compose_rules.ignored_variables,
    port_rules.ports,
    package_rules.entry_points,
    package_rules.npm_scripts,
)


class Coherence:
    name = "coherence"
    question = "do the parts refer to things that exist?"
    reach = Reach.STATIC
    needs: tuple[str, ...] = ()

    def verify(self, bench: Bench) -> Verdict:
        if not any(rule_applies(path) for path in bench.files.paths):
            return Verdict(skipped="nothing that refers to anything else")
        found = [one for rule in RULES for one in rule(bench.files)]
        return Verdict(
            failures=tuple(failure for failure, counts in found if counts),
            advice=tuple(failure for failure, counts in found if not counts),
            looked_at=sum(rule_applies(path) for path in bench.files.paths),
        )


def rule_applies(path: str) -> bool:
    return (
        path_rules.is_dockerfile(path)
        or path_rules.is_workflow(path)
        or compose_rules.is_compose(path)
        or package_rules.is_manifest(path)
    )
