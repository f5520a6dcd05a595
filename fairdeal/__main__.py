"""The command `fairdeal`, also as `python -m fairdeal`."""

import sys


def main() -> None:
    """Runs the command, or says what must be installed for it: a player's program needs the client alone."""
    try:
        from fairdeal.cli import main as run
    except ModuleNotFoundError as error:
        sys.exit(f"fairdeal: the command needs fairdeal[server], for {error.name}; install fairdeal with that extra")
    run()


if __name__ == "__main__":
    main()
