"""The command `fairdeal`, also as `python -m fairdeal`."""

import sys


def main() -> None:
    """Runs the command, or says what must be installed for it: a player's program needs the client alone."""
    try:
        from fairdeal.cli import main as run
    except ModuleNotFoundError as error:
        sys.exit(
            "fairdeal: installed here is what a program plays with, `import fairdeal.client`. This command serves and"
            f' audits: it needs {error.name}, which comes with `pip install ".[server]"`'
        )
    run()


if __name__ == "__main__":
    main()
