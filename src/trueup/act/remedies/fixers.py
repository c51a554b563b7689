"""Which fixers are there? One table; installed ones come through the same door."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GROUP = "trueup.remedies"
"""Entry points of this group name a function that satisfies `Fixer`."""

_HERE = "trueup.act.remedies"
BUILTIN: Mapping[str, str] = {
    "replace": f"{_HERE}.declarative:replace",
    "insert": f"{_HERE}.declarative:insert",
    "delete-line": f"{_HERE}.declarative:delete_line",
    "run-tool": f"{_HERE}.declarative:run_tool",
    "reencode": f"{_HERE}.text_fixers:reencode",
    "strip-mark": f"{_HERE}.text_fixers:strip_mark",
    "repair-text": f"{_HERE}.text_fixers:repair_text",
    "undo-mojibake": f"{_HERE}.text_fixers:undo_mojibake",
    "unix-line-ends": f"{_HERE}.text_fixers:unix_line_ends",
    "make-executable": f"{_HERE}.text_fixers:make_executable",
    "rename-distribution": f"{_HERE}.pins:rename_distribution",
    "drop-requirement": f"{_HERE}.pins:drop_requirement",
    "resolvable-pin": f"{_HERE}.pins:resolvable_pin",
    "add-missing": f"{_HERE}.requirements_needed:add_missing",
    "add-requirement": f"{_HERE}.requirements_needed:add_requirement",
    "constrain": f"{_HERE}.requirements_needed:constrain",
    "move-names": f"{_HERE}.code_fixers:move_names",
    "rename-module": f"{_HERE}.code_fixers:rename_module",
    "add-package-marker": f"{_HERE}.code_fixers:add_package_marker",
    "entry-module": f"{_HERE}.entry_fixers:entry_module",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    @property
    def known(self) -> tuple[str, ...]:
        return self.required + self.optional


PARAMETERS: Mapping[str, Parameters] = {
    **{name: Parameters() for name in BUILTIN},
    "replace": Parameters(required=("find", "put"), optional=("file", "once", "why")),
    "insert": Parameters(required=("line",), optional=("file", "before", "after", "at", "why")),
    "delete-line": Parameters(optional=("file", "line", "holding", "why")),
    "run-tool": Parameters(required=("tool",), optional=("file", "more", "why")),
    "add-requirement": Parameters(required=("packages",), optional=("when", "why")),
    "constrain": Parameters(required=("package", "versions"), optional=("when", "why")),
    "move-names": Parameters(required=("from", "names"), optional=("to", "requires")),
    "rename-module": Parameters(required=("from", "to"), optional=()),
}
"""What the built-in ones take. Others check theirs themselves."""
