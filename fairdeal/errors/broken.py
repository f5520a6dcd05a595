"""What is wrong with the service itself."""

from fairdeal.errors.root import FairdealError


class AddressRefused(FairdealError):
    """The machine does not let the service listen there."""

    code = "address_refused"


class Broken(FairdealError):
    """The service's own records are not what they must be; never a caller's fault."""

    code = "broken"


class ClockApart(Broken):
    """The machine's clock and the database's do not agree: until they do the machine takes no moves, no seats and
    no money, signs no checkpoint and holds nothing against anybody.
    """

    code = "clock_apart"


class ClockSteppedBack(Broken):
    """The machine's clock went back: until it is right again the service signs nothing and holds nothing against
    anybody.
    """

    code = "clock_stepped_back"


class DatabaseLocked(Broken):
    """Another process uses this database."""

    code = "database_locked"


class KeyMissing(Broken):
    """A key that the records were signed or sealed with is not among the key files at hand."""

    code = "key_missing"


class LedgerBroken(Broken):
    """Money would be made, lost or moved twice; nothing was written."""

    code = "ledger_broken"


class LogBehind(Broken):
    """Somebody outside keeps more of the log than the database has, or another one: it is an older copy."""

    code = "log_behind"


class LogStuck(Broken):
    """The log of all matches cannot append or sign; nothing is held against anybody until it can."""

    code = "log_stuck"


class RecordsBroken(Broken):
    """The database refused what would break its records; nothing was written."""

    code = "records_broken"


class SchemaMismatch(Broken):
    """The database was made by another version of the schema."""

    code = "schema_mismatch"


class StoreFailed(Broken):
    """The database could not do it: the disk is full, the file is gone or another program holds it."""

    code = "store_failed"


class StoreBusy(StoreFailed):
    """Somebody holds what it needs in the database, and did not let go in time; nothing was written."""

    code = "store_busy"
