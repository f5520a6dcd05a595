"""What `deploy/` says is so: settings, commands, ports and files that there are, images by version, nothing secret."""

import json
import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer
from sqlalchemy import make_url

from fairdeal.api.door import MAX_BODY_BYTES
from fairdeal.cli import app
from fairdeal.ledger import Win
from fairdeal.settings import Clock, Fees, Limits, Settings
from fairdeal.store import SqlStore
from fairdeal.store.upgrade import upgrade
from tests.store.house import House
from tests.store.postgres import Postgres, programs_of_postgres

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
FILES = sorted(path for path in DEPLOY.iterdir() if path.is_file())
HANDBOOK = (ROOT / "docs" / "operating.md").read_text("utf-8")
COMPOSE, DOCKERFILE, NGINX, UNIT = (
    (DEPLOY / name).read_text("utf-8") for name in ("compose.yaml", "Dockerfile", "nginx.conf", "fairdeal.service")
)


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
    private = {*re.findall(r"\bprivate/([\w.-]+)", COMPOSE)}
    assert len(private) == 6
    assert all(f"`{name}`" in HANDBOOK for name in private)
    mounted = re.findall(r"^\s+- \./([\w.-]+):/.*:ro$", COMPOSE, re.MULTILINE)
    assert sorted(mounted) == ["database.sql", "nginx.conf"]
    assert all((DEPLOY / name).exists() for name in mounted)
    copied = re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE)
    paths = [path for line in copied for path in line.split()]
    assert all((ROOT / path).exists() for path in paths)
    let_in = re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text("utf-8"), re.MULTILINE)
    assert sorted(let_in) == sorted(paths)


def commands() -> Iterator[str]:
    """Every command line of `fairdeal` in `deploy/` and in the documents' blocks, without the program's name."""
    yield from re.findall(r"^ExecStart=\S+/bin/fairdeal (.*)$", UNIT, re.MULTILINE)
    yield from (" ".join(json.loads(words)) for words in re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        for block in re.findall(r"^```sh\n(.*?)^```$", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            prefix = r"^(?:[A-Z_]+=\S+ )*(?:\S*/)?fairdeal |^docker compose run (?:--\w+ )*operator |^operate "
            yield from re.findall(rf"(?:{prefix})(.*?)(?: [>|] .*)?$", block, re.MULTILINE)


@pytest.mark.parametrize("line", sorted({*commands()}))
def test_commands_are_such_as_there_are(line: str) -> None:
    """Ids stand for themselves there."""
    parse(shlex.split(re.sub(r"\b(ACCOUNT|MATCH|WITHDRAWAL|[0-9a-f]+…)", "0f" * 16, line), comments=True))


def test_a_command_that_there_is_not_is_seen() -> None:
    assert len({*commands()}) > 20
    for line in ("serve --prt 8000", "db upgrades", "keys rotate lock", "ledger convert month/ --to csv"):
        with pytest.raises(Exception, match=r"(?i)no such|not one of|missing"):
            parse(line.split())


def parse(words: Sequence[str]) -> dict[str, Any]:
    """What the command line's own parser makes of it, down to the last command; nothing is run."""
    command, context, name = typer.main.get_command(app), None, "fairdeal"
    while True:
        context = command.make_context(name, [*words], parent=context)
        if not isinstance(command, typer.core.TyperGroup):
            return context.params
        found, command, words = command.resolve_command(context, [*context._protected_args, *context.args])
        name = found


def test_the_unit_sets_up_a_service_for_production(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"^```conf\n((?:FAIRDEAL_.*\n)+)```$", HANDBOOK, re.MULTILINE)
    settings = set_up(monkeypatch, dict(line.split("=", 1) for line in block.splitlines()))
    (state,) = re.findall(r"^StateDirectory=(.*)$", UNIT, re.MULTILINE)
    kept = (settings.database, settings.keys, settings.log_copy)
    assert {path and path.parent for path in kept} == {Path("/var/lib") / state}
    (read,) = re.findall(r"^EnvironmentFile=(.*)$", UNIT, re.MULTILINE)
    assert f"`{read}` has all settings" in HANDBOOK


def test_the_handbooks_commands_run_as_the_unit_does() -> None:
    (command,) = re.findall(r"^operate\(\) \{ (.*); \}$", HANDBOOK, re.MULTILINE)
    words = shlex.split(command)
    (served,) = re.findall(r"^ExecStart=(\S+)", UNIT, re.MULTILINE)
    assert words[-2:] == [served, "$@"]
    (user,) = re.findall(r"^User=(.*)$", UNIT, re.MULTILINE)
    assert f"--uid={user}" in words
    properties = [word.removeprefix("--property=") for word in words if word.startswith("--property=")]
    assert len(properties) == 4
    assert {*properties} <= {*UNIT.splitlines()}


@pytest.mark.parametrize(("file", "user"), [("settings", "fairdeal"), ("owner", "owner")])
def test_compose_sets_up_a_service_for_production(file: str, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = re.findall(r"^    (FAIRDEAL_\w+): (.*)$", COMPOSE, re.MULTILINE)
    urls = re.findall(rf"^\| `{file}` \|.*?`(FAIRDEAL_DATABASE_URL)=(.*?)`", HANDBOOK, re.MULTILINE)
    settings = set_up(monkeypatch, {name: value.strip("'\"") for name, value in [*given, *urls]})
    place = make_url(str(settings.place()))
    assert (place.username, place.host, place.database) == (user, "127.0.0.1", "fairdeal")
    assert '      - "127.0.0.1:5432:5432"\n' in COMPOSE
    assert "POSTGRES_DB: fairdeal\n      POSTGRES_USER: owner\n" in COMPOSE
    kept = [str(settings.keys), str(settings.log_copy)]
    assert re.findall(r"^    - \w+:(/srv/.*)$", COMPOSE, re.MULTILINE) == kept
    made = re.findall(r"install --directory --owner fairdeal --mode 700 (.*)$", DOCKERFILE, re.MULTILINE)
    assert made == [" ".join(kept)]


def test_no_container_hangs_on_another_ones_network_and_no_port_is_open_but_the_proxys() -> None:
    assert re.findall(r"^ +network_mode: (.*)$", COMPOSE, re.MULTILINE) == ["host", "host"]
    assert re.findall(r"^    ports:\n((?:      .*\n)+)", COMPOSE, re.MULTILINE) == ['      - "127.0.0.1:5432:5432"\n']
    assert re.findall(r"^    listen (?:\[::\]:)?(.*);$", NGINX, re.MULTILINE) == ["443 ssl", "443 ssl"]


def test_the_database_is_healthy_only_when_it_listens() -> None:
    """While it is made, a server with nothing but a socket runs `database.sql`, and is stopped again."""
    (words,) = re.findall(r'\["CMD", ("pg_isready".*)\]', COMPOSE)
    assert "--host=127.0.0.1" in json.loads(f"[{words}]")


def set_up(monkeypatch: pytest.MonkeyPatch, given: dict[str, str]) -> Settings:
    """With what the operator has to add."""
    added = {"FAIRDEAL_ORIGIN": "https://play.example", "FAIRDEAL_LOG": "play.example"}
    for name, value in (added | given).items():
        monkeypatch.setenv(name, value)
    settings = Settings()
    assert settings.environment == "production"
    return settings


def test_the_proxy_finds_the_service_and_lets_through_what_it_takes() -> None:
    served = parse(["serve"])
    address = f"{served['host']}:{served['port']}"
    assert re.findall(r"^    server (.*);$", NGINX, re.MULTILINE) == [address]
    assert f"--host {served['host']} --port {served['port']}\n" in UNIT
    asked = re.findall(r"https?://(127[\d.:]+)(/\w+)", COMPOSE)
    assert asked == [(address, "/readyz"), ("127.0.0.1", "/healthz")]
    paths = json.loads((ROOT / "openapi" / "fairdeal.v1.json").read_text("utf-8"))["paths"]
    assert {"/readyz", "/healthz"} <= paths.keys()
    (streams,) = re.findall(r"^    location ~ (\S+) ", NGINX, re.MULTILINE)
    matched = [path for path in paths if re.match(streams, re.sub(r"\{.*?\}", "0f" * 16, path))]
    assert matched == ["/v1/matches/{m}/stream"]
    assert f"client_max_body_size {MAX_BODY_BYTES // 1024}k;" in NGINX
    (files,) = re.findall(r"^LimitNOFILE=(\d+)$", UNIT, re.MULTILINE)
    assert f"nofile: {files}\n" in COMPOSE
    assert int(files) > Limits().connections


def test_the_services_own_user_serves_and_takes_no_guard_away(postgres: Postgres, tmp_path: Path) -> None:
    owner = postgres.empty_database()
    role = make_url(owner).database
    password, script = tmp_path / "service-password", tmp_path / "database.sql"
    password.write_text("its\n")
    text = (DEPLOY / "database.sql").read_text("utf-8").replace("fairdeal", str(role))
    assert f"/run/secrets/{password.name}`" in text
    script.write_text(text.replace("/run/secrets/", f"{tmp_path}/") + "\\echo :password\n")
    psql = (programs_of_postgres() / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1")
    assert subprocess.run([*psql, f"--file={script}", owner], check=True, capture_output=True).stdout == b"its\n"
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
        tables = hand.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        ).fetchall()
        given = "SELECT table_name, privilege_type FROM information_schema.table_privileges WHERE grantee = %s"
        rights = ("SELECT", "INSERT", "UPDATE", "DELETE")
        assert {*hand.execute(given, [role])} == {(table, right) for (table,) in tables for right in rights}
        hand.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
    postgres.drop(owner)
