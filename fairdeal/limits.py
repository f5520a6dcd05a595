"""Every size and range the protocol fixes, each with its reason. Lengths are in bytes."""

from typing import Final

# Integers and canonical JSON (protocol section 1)
MAX_SAFE_INTEGER: Final = 2**53 - 1
"""The largest integer that a browser's numbers hold exactly."""
MAX_DEPTH: Final = 32
"""Arrays and objects inside one another; far above any event, far below any parser's stack."""
MAX_EVENT_BYTES: Final = 16 * 1024
"""One event, one line: a request body and a leaf are never larger."""
MAX_LOG_LINE_BYTES: Final = 64 * 1024
"""A line that carries proofs of the log: four leaves and as many consistency proofs, of 63 hashes each, and a note."""
MAX_JSON_BYTES: Final = 1024 * 1024
"""Any other single cj1 text."""
MAX_BUNDLE_BYTES: Final = 16 * 1024 * 1024
"""A whole bundle: `MAX_DEALS` deals with every signature stay under it."""

# Fixed lengths: no hash input of ours has a variable part without one
HASH_BYTES: Final = 32
"""SHA-256."""
SEED_BYTES: Final = 32
"""Every seed, the server's and each seat's; also an HMAC key of exactly this length."""
KEY_BYTES: Final = 32
"""Ed25519 public key, and the seed of a private one."""
SIGNATURE_BYTES: Final = 64
"""Ed25519."""
MATCH_ID_BYTES: Final = 16
"""Random, so that ids neither collide nor can be guessed."""
PSEUDONYM_BYTES: Final = 16
"""Random for each match, so that matches cannot be linked by it."""
CUSTODY_KEY_BYTES: Final = 32
"""AES-256."""
CUSTODY_NONCE_BYTES: Final = 12
"""GCM's own nonce length; each sealing takes a fresh random one."""

# Dealing (protocol section 3)
MIN_PACK: Final = 2
"""Below two cards there is nothing to shuffle."""
MAX_PACK: Final = 104
"""Two packs of 52."""
MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
"""Belote has two to four players."""
MAX_DEAL: Final = 2**32 - 1
"""The deal number is hashed as four bytes."""

# Log (C2SP signed-note, tlog-checkpoint)
MAX_TREE_SIZE: Final = 2**63 - 1
"""Sizes fit a signed 64-bit integer everywhere."""
MAX_NOTE_CHARACTERS: Final = 128 * 1024
"""A checkpoint is a few hundred; C2SP wants room for 16 signatures, of which a post-quantum one takes 7,000."""
MAX_NOTE_SIGNATURES: Final = 100
"""Signature lines in one note, so that a note cannot ask for unbounded work."""
MAX_KEY_NAME_BYTES: Final = 255
"""A key's name is a schema-less URL; this bounds a vkey and a signature line."""
MAX_ORIGIN_BYTES: Final = 255
"""A log's origin, which is a key name in use."""
MAX_PROOF_HASHES: Final = 63
"""Hashes in a proof that is written down: C2SP's own bound, and the height of the largest tree."""
MAX_EXTRA_BYTES: Final = 16 * 1024
"""Unauthenticated bytes that a tlog-proof may carry along; ours carry none."""
MAX_POLICY_BYTES: Final = 64 * 1024
"""Hundreds of keys; a policy is written by hand."""
MAX_ENTRY_BYTES: Final = 2**16 - 1
"""An entry's length is two bytes in an entry bundle."""
MAX_TILE_LEVEL: Final = 63
"""C2SP tlog-tiles; a tree of `MAX_TREE_SIZE` leaves needs eight."""
MAX_TIMESTAMP: Final = 2**63 - 1
"""Seconds since the epoch in a cosignature (C2SP tlog-cosignature)."""

# Money
MAX_STAKE: Final = 10**15
"""Minor units; a pot of `MAX_SEATS` stakes stays within `MAX_SAFE_INTEGER`."""

# Match (protocol section 2.2)
MAX_DEALS: Final = 1_000
"""Deals in one match; a duel to the highest target is over long before."""
MAX_OVERRUNS: Final = 100
"""Overruns a seat may be granted; more would let one player hold the other for a day."""
MAX_CLOCK_MS: Final = 24 * 60 * 60 * 1000
"""A day, for every span of a match's clock."""
MAX_LOG_NAME_BYTES: Final = 128
"""A log's name, so that the origins made of it stay under `MAX_ORIGIN_BYTES`."""
MAX_EXPONENT: Final = 18
"""Decimal places of an asset's minor unit; no currency has more."""
