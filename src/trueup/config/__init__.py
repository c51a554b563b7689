"""What does the user want? One file, some variables, some flags; made into one `Task`, or refused with a reason."""

from trueup.config.durations import parse_duration, show_duration
from trueup.config.file import ConfigFile, load_config, parse_config
from trueup.config.names import check_name, item_name, suggest
from trueup.config.settings import Overrides, environment_warnings, parse_until
from trueup.config.starter import starter_config
from trueup.config.task import build_task, new_totals

__all__ = [
    "ConfigFile",
    "Overrides",
    "build_task",
    "check_name",
    "environment_warnings",
    "item_name",
    "load_config",
    "new_totals",
    "parse_config",
    "parse_duration",
    "parse_until",
    "show_duration",
    "starter_config",
    "suggest",
]
