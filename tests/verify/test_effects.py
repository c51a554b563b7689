"""A module that acts when it is imported is a script."""

from __future__ import annotations

import ast

import pytest

from trueup.verify.verifiers.effects import has_effects

ACTS = [
    "main()",
    "import os\nos.remove('x')",
    "import shutil\nif True:\n    shutil.rmtree('x')",
    "open('x', 'w')",
    "open('x', mode='a')",
    "from pathlib import Path\nPath('x').unlink()",
    "for name in names:\n    Path(name).rename('y')",
    "answer = input('?')",
    "import sys\nsys.exit(1)",
    "app.run(debug=True)",
    "def work():\n    helper()\ndef helper():\n    open('x', 'wb')\nwork()",
    "try:\n    cursor.execute('drop')\nexcept Exception:\n    pass",
    "with open('x', 'w') as f:\n    pass",
    "while True:\n    pass",
    "import asyncio\nasyncio.run(go())",
    "frame.to_csv('x')",
]
DEFINES = [
    "",
    "import logging\nlogging.basicConfig()",
    "app = Flask(__name__)\napp.register_blueprint(bp)\n",
    "app.include_router(router)",
    "Base.metadata.create_all(engine)",
    "load_dotenv()",
    "text = 'a'.replace('a', 'b')",
    "data = open('x').read()",
    "def main():\n    open('x', 'w')\nif __name__ == '__main__':\n    main()",
    "if __name__ == '__main__':\n    import shutil\n    shutil.rmtree('x')\nelse:\n    y = 1",
    "class A:\n    def delete(self):\n        os.remove('x')",
    "def setup():\n    global ready\n    ready = True\nsetup()",
    "action = lambda: os.remove('x')",
    "print('hello')",
    "import sys\nsys.path.insert(0, '.')",
    "model = Model()\nvalue = compute(3)",
]


@pytest.mark.parametrize("source", ACTS)
def test_this_acts(source: str) -> None:
    assert has_effects(ast.parse(source))


@pytest.mark.parametrize("source", DEFINES)
def test_this_only_defines(source: str) -> None:
    assert not has_effects(ast.parse(source))
