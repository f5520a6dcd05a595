"""What `deploy/` says is so: settings that there are, files that there are, images by version, nothing secret."""

import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from fairdeal.ledger import Win
from fairdeal.settings import Clock, Fees, Limits, Settings
from fairdeal.store import SqlStore
from fairdeal.store.upgrade import upgrade
from tests.store.house import House
from tests.store.postgres import Postgres

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
HANDBOOK = (ROOT / "docs" / "operating.md").read_text("utf-8")


def settings() -> Iterator[str]:
    """The variable of each."""
    for prefix, model in (("", Settings), ("FEES__", Fees), ("CLOCK__", Clock), ("LIMITS__", Limits)):
        for name in model.model_fields:
            if name not in ("fees", "clock", "limits"):
                yield f"FAIRDEAL_{prefix}{name.upper()}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_names_settings_that_there_are_and_keeps_their_values_secret(path: Path) -> None:
    text = path.read_text("utf-8")
    named = set(re.findall(r"\bFAIRDEAL_[A-Z_]*[A-Z]", text))
    assert named <= {*settings()}
    assert not re.findall(r"^[^#\n]*(?:TOKEN|SECRETS?|PASSWORD|DATABASE_URL)[:=]", text, re.MULTILINE)


def test_the_handbook_has_every_setting() -> None:
    (table,) = re.findall(r"^\| variable \|.*?\n\n", HANDBOOK, re.MULTILINE | re.DOTALL)
    described: list[str] = []
    for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        first, *others = re.findall(r"`(.*?)`", row)
        described += [first, *(f"{first.partition('__')[0]}{one}" if one.startswith("__") else one for one in others)]
    assert sorted(described) == sorted(settings())


def test_images_have_versions_and_the_service_ours() -> None:
    images = re.findall(r"^(?:FROM|\s+image:) (.*)$", "".join(path.read_text("utf-8") for path in FILES), re.MULTILINE)
    assert len(images) == 4
    assert all(re.fullmatch(r"[a-z]+:\d+\.\d+(\.\d+)?(-[a-z]+)*", image) for image in images)
    (version,) = re.findall(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert f"fairdeal:{version}" in images


def test_what_is_mounted_and_copied_is_there_or_private() -> None:
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    private = {*re.findall(r"\bprivate/([\w.-]+)", compose)}
    assert len(private) == 6
    assert all(f"`{name}`" in HANDBOOK for name in private)
    mounted = re.findall(r"^\s+- \./([\w.-]+):/.*:ro$", compose, re.MULTILINE)
    assert sorted(mounted) == ["database.sql", "nginx.conf"]
    assert all((DEPLOY / name).exists() for name in mounted)
    copied = re.findall(r"^COPY (.*) \S+$", (DEPLOY / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    paths = [path for line in copied for path in line.split()]
    assert all((ROOT / path).exists() for path in paths)
    let_in = re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8"), re.MULTILINE)
    assert sorted(let_in) == sorted(paths)


def test_the_services_own_user_serves_and_takes_no_guard_away(postgres: Postgres) -> None:
    owner = postgres.empty_database()
    role = make_url(owner).database
    script = (DEPLOY / "database.sql").read_text("utf-8").replace("fairdeal", str(role)).replace(":'password'", "'its'")
    with psycopg.connect(owner, autocommit=True) as hand:
        hand.execute("".join(line for line in script.splitlines(True) if not line.startswith("\\")).encode())
    upgrade(owner)
    own = make_url(owner).set(username=role, password="its").render_as_string(hide_password=False)
    store = SqlStore(own)
    house = House(store)
    house.finish(house.live(500)[0], Win(0))
    house.check()
    store.close()
    with psycopg.connect(own, autocommit=True) as hand:
        for statement in ("TRUNCATE entries", "DROP TRIGGER entries_never_delete ON entries", "DROP TABLE seals"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                hand.execute(statement.encode())
    with psycopg.connect(owner, autocommit=True) as hand:
        hand.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
    postgres.drop(owner)
