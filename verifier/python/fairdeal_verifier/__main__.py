"""`python -m fairdeal_verifier`: the command without its script."""

import sys

from fairdeal_verifier.cli import main

sys.exit(main())
