"""`python -m fairdeal` is the command `fairdeal`."""

from fairdeal.cli import main

if __name__ == "__main__":
    main()
