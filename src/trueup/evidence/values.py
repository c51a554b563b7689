"""What has named parts and never changes, without the price of `dataclasses`?

Loading that module and making twenty classes with it takes longer than reading a hundred outputs; a filter starts
anew for every log.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as checkers of types know it; `typing` has its price, too
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_defaults: bool) -> object:
        return lambda made: made


_set = object.__setattr__


@dataclass_transform(kw_only_default=True)
class Value:
    """The class names the parts and their defaults, as a dataclass does. Checkers of types see which are missing."""

    def __init__(self, **parts: Any) -> None:
        _set(self, "__dict__", parts)  # half the price of filling the one that is there

    def but(self, **parts: Any) -> Self:
        """The same with other parts."""
        return type(self)(**{**self.__dict__, **parts})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _parts(self) == _parts(other)

    def __hash__(self) -> int:
        return hash(tuple(_parts(self).values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={part!r}' for name, part in _parts(self).items())})"


def _parts(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in type(value).__annotations__}
