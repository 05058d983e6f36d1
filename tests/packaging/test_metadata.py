"""server.json and the bundle's manifest promise only what the program keeps."""

from __future__ import annotations

import re
from typing import Any

import pytest

from muxpilot.config import Settings
from muxpilot.mcp.app import build
from tests.packaging.files import manifest, server_json, text


class Asked(dict[str, str]):
    """An empty environment that remembers which variables were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return default


def known_variables() -> set[str]:
    environ = Asked()
    Settings.from_environ(environ)
    return {name for name in environ.names if name.startswith("MUXPILOT_")}


def package() -> dict[str, Any]:
    found: dict[str, Any] = server_json()["packages"][0]
    return found


def variables() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = package()["environmentVariables"]
    return found


def user_config() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = manifest()["user_config"]
    return found


def bundle_environ() -> dict[str, str]:
    found: dict[str, str] = manifest()["server"]["mcp_config"]["env"]
    return found


def test_server_json_names_variables_that_are_read() -> None:
    names = {variable["name"] for variable in variables()}
    assert names
    assert names <= known_variables()


def test_server_json_names_every_variable_of_the_documentation() -> None:
    documented = set(re.findall(r"^\| `(MUXPILOT_\w+)` \|", text("docs/configuration.md"), re.MULTILINE))
    assert {variable["name"] for variable in variables()} >= documented


def test_its_defaults_are_the_defaults() -> None:
    defaults = {each["name"]: each["default"] for each in variables() if "default" in each}
    assert Settings.from_environ(defaults) == Settings.from_environ({})


@pytest.mark.parametrize(
    ("name", "choice"), [(each["name"], choice) for each in variables() for choice in each.get("choices", ())]
)
def test_each_choice_it_offers_is_understood(name: str, choice: str) -> None:
    Settings.from_environ({name: choice})


def test_its_name_and_description_have_the_form_that_registries_demand() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", server_json()["name"])
    assert 1 <= len(server_json()["description"]) <= 100


def test_it_ships_the_package_of_this_project_over_stdio() -> None:
    assert f'name = "{package()["identifier"]}"' in text("pyproject.toml")
    assert package()["registryType"] == "pypi"
    assert package()["transport"] == {"type": "stdio"}


def test_the_bundle_sets_variables_that_are_read() -> None:
    assert bundle_environ()
    assert set(bundle_environ()) <= known_variables()


def test_every_question_of_the_bundle_is_used_and_every_value_asked_for() -> None:
    used = {re.fullmatch(r"\$\{user_config\.(\w+)\}", value) for value in bundle_environ().values()}
    assert {match.group(1) for match in used if match} == set(user_config())
    assert None not in used


def test_whoever_answers_none_of_its_questions_gets_the_defaults() -> None:
    """Each has one: hosts hand over the placeholder itself where there is none."""
    answered = {
        name: str(user_config()[value[len("${user_config.") : -1]]["default"])
        for name, value in bundle_environ().items()
    }
    assert Settings.from_environ(answered) == Settings.from_environ({})
    build(Settings.from_environ(answered))


def test_the_bundle_asks_for_the_python_that_the_package_asks_for() -> None:
    needed = manifest()["compatibility"]["runtimes"]["python"]
    assert f'requires-python = "{needed}"' in text("pyproject.toml")


def test_it_is_not_offered_where_there_is_no_tmux() -> None:
    assert "win32" not in manifest()["compatibility"]["platforms"]
