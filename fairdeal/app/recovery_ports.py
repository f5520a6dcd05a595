"""What a forgotten password needs of a store. Each of these ends what it replaces, in one transaction."""

from typing import Protocol


class RecoveryStore(Protocol):
    """The recovery's part of a store. Any method can raise an error of the family `Broken`."""

    def renew_recovery(self, account_id: str, password_hash: str, code_hash: bytes) -> None:
        """Another code for the account. Raises CredentialsRefused when its password is no longer that one."""

    def recover(self, account_id: str, code_hash: bytes, password_hash: str, next_code_hash: bytes) -> None:
        """Another password and another code, and every login ends. Raises CredentialsRefused when the code is no longer
        the account's: it serves once.
        """

    def reset(self, account_id: str, password_hash: str, code_hash: bytes, reason: str, at: int) -> None:
        """As `recover`, by the operator, with a significant event. Raises UnknownAccount."""
