"""Which verifiers are there? One table; installed ones come through the same door."""

from __future__ import annotations

GROUP = "trueup.verifiers"
"""Entry points of this group name a class that satisfies `Verifier`."""

BUILTIN = {
    "syntax": "trueup.verify.verifiers.syntax:Syntax",
    "encoding": "trueup.verify.verifiers.encoding:Encoding",
    "imports": "trueup.verify.verifiers.imports:Imports",
    "coherence": "trueup.verify.verifiers.coherence:Coherence",
    "dependencies": "trueup.verify.verifiers.dependencies:Dependencies",
    "smoke": "trueup.verify.verifiers.smoke:Smoke",
    "entrypoint": "trueup.verify.verifiers.entrypoint:Entrypoint",
    "browser": "trueup.verify.verifiers.browser:Browser",
}

NEEDS: dict[str, tuple[str, ...]] = {
    "syntax": (),
    "encoding": (),
    "imports": (),
    "coherence": (),
    "dependencies": (),
    "smoke": ("syntax", "dependencies"),
    "entrypoint": ("smoke",),
    "browser": ("entrypoint",),
}
"""What each of our own says itself; here, so that nothing has to be loaded to put them in order."""
