"""Makes verify.html, the verifier as one page that works from disk: `python verifier/js/build_page.py`.

Every module of src/ and page/ becomes a function in one table, in the order of their imports, its text otherwise
unchanged. The first script holds what checks, and runs in the page's worker too; the second is the page. The page's
policy lets exactly these two scripts and this style run, by hash, and lets nothing be fetched.
"""

import base64
import hashlib
import re
from pathlib import Path

HERE = Path(__file__).parent
CHECKS = "page/examine.js"
PAGE = "page/page.js"

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.M)
_REEXPORT = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.M)
_DECLARATION = re.compile(r"^export ((?:async )?(?:const|function|class)) (\w+)", re.M)


class NotBundled(Exception):
    """A module is written in a way that this script does not know."""


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if any(" " in name for name in names):
        raise NotBundled(f"renamed on the way: {text.strip()}")
    return names


def _target(module: str, specifier: str) -> str:
    """The path, from here, of what a module imports."""
    return (HERE / module).parent.joinpath(specifier).resolve().relative_to(HERE.resolve()).as_posix()


def _wrap(module: str, source: str) -> tuple[list[str], str]:
    """What a module imports, and the module as a function that returns its exports."""
    imports: list[str] = []
    exports: dict[str, str] = {}

    def taken(match: re.Match[str]) -> str:
        imports.append(_target(module, match[2]))
        return f'const {{ {", ".join(_names(match[1]))} }} = modules["{imports[-1]}"];\n'

    def passed_on(match: re.Match[str]) -> str:
        imports.append(_target(module, match[2]))
        exports.update((name, f'modules["{imports[-1]}"].{name}') for name in _names(match[1]))
        return ""

    def declared(match: re.Match[str]) -> str:
        exports[match[2]] = match[2]
        return f"{match[1]} {match[2]}"

    body = _DECLARATION.sub(declared, _REEXPORT.sub(passed_on, _IMPORT.sub(taken, source)))
    # What is left of either word at the start of a line has a form that none of the three rules above took.
    if re.search(r"^(import|export)\b", body, re.M) or "</script" in body or "<!--" in body:
        raise NotBundled(module)
    returned = ", ".join(name if name == value else f"{name}: {value}" for name, value in exports.items())
    return imports, f'modules["{module}"] = (() => {{\n{body}\nreturn {{ {returned} }};\n}})();\n'


def _bundle(entry: str, done: list[str]) -> str:
    """The entry and what it imports, without the modules already done, which grow by these."""
    parts: list[str] = []

    def visit(module: str, above: tuple[str, ...]) -> None:
        if module in above:
            raise NotBundled(f"{module} imports itself by way of others")
        if module in done:
            return
        imports, wrapped = _wrap(module, (HERE / module).read_text(encoding="utf-8"))
        for each in imports:
            visit(each, (*above, module))
        done.append(module)
        parts.append(wrapped)

    visit(entry, ())
    return "\n".join(parts)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def build() -> str:
    """The text of verify.html."""
    done: list[str] = []
    checks = f'"use strict";\nconst modules = {{}};\n\n{_bundle(CHECKS, done)}'
    page = f'"use strict";\n{_bundle(PAGE, done)}'
    style = "\n" + (HERE / "page/page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src {_hash(checks)} {_hash(page)}; style-src {_hash(style)}; worker-src blob:; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {"policy": policy, "style": style, "checks": checks, "page": page}
    template = (HERE / "page/template.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


if __name__ == "__main__":
    (HERE / "verify.html").write_text(build(), encoding="utf-8", newline="\n")
