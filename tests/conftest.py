"""What holds for all tests: none depends on how fast the machine is, and none has to compile pytest for each run."""

import pytest
from hypothesis import settings

from trueup.act.bytecode import Bytecode
from trueup.act.process import Processes
from trueup.testing import PYTEST

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def compiled_pytest(tmp_path_factory: pytest.TempPathFactory) -> Bytecode:
    """What a run begins with when its start has run pytest already."""
    base = tmp_path_factory.mktemp("compiled")
    (base / "test_it.py").write_text("def test_passes():\n    assert 1\n\n\ndef test_fails():\n    assert 0\n")
    env = {"PYTHONPYCACHEPREFIX": str(base / "made"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    with Processes() as processes:
        done = processes.run((*PYTEST, "--junitxml=report.xml"), cwd=base, env=env, timeout=600)
    assert done.exit_code == 1, done.stdout.text()
    compiled = Bytecode.saved(base / "made", base / "kept", without=base)
    assert compiled is not None
    return compiled
