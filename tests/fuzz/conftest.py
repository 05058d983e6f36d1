from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.mirror import Mirror


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mirror]:
    mirror = Mirror(tmp_path_factory.mktemp("mirror"))
    yield mirror
    mirror.close()
