"""The double-entry ledger's rules: accounts, transactions, fees, settlement and the checks of a whole set of books.

Pure: it says which entries a movement makes and what must hold; `fairdeal.store` keeps them. Prose: docs/ledger.md.
"""

from fairdeal.ledger.amounts import format_amount
from fairdeal.ledger.books import Books, check_books
from fairdeal.ledger.currencies import check_exponent
from fairdeal.ledger.fees import Fees, FeeSchedule, TaxBase
from fairdeal.ledger.model import (
    CASHIER,
    COMMISSION,
    TAX,
    Kind,
    Posting,
    Purpose,
    Transaction,
    cash,
    held,
    owner,
    pending,
    pot,
    purpose,
)
from fairdeal.ledger.movements import (
    cancel,
    deposit,
    form_pot,
    pay_out,
    pay_withdrawal,
    refuse_withdrawal,
    reverse,
    sit,
    stand_up,
    withdraw,
)
from fairdeal.ledger.settlement import Line, Outcome, Refund, SeedForfeit, Win, settlement

__all__ = [
    "CASHIER",
    "COMMISSION",
    "TAX",
    "Books",
    "FeeSchedule",
    "Fees",
    "Kind",
    "Line",
    "Outcome",
    "Posting",
    "Purpose",
    "Refund",
    "SeedForfeit",
    "TaxBase",
    "Transaction",
    "Win",
    "cancel",
    "cash",
    "check_books",
    "check_exponent",
    "deposit",
    "form_pot",
    "format_amount",
    "held",
    "owner",
    "pay_out",
    "pay_withdrawal",
    "pending",
    "pot",
    "purpose",
    "refuse_withdrawal",
    "reverse",
    "settlement",
    "sit",
    "stand_up",
    "withdraw",
]
