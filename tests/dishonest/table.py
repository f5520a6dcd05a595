"""The table of docs/limitations.md: every deed in words, and the cells that its test finds out.

`python -m tests.dishonest.table` writes the section anew from what the deeds leave; read the difference before you
commit it.
"""

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from tests.dishonest import deeds
from tests.dishonest.looking import look
from tests.dishonest.operator import Operator

PAGE: Final = Path(__file__).parents[2] / "docs/limitations.md"
HEADING: Final = "## A dishonest operator: who notices what\n"
COLUMNS: Final = (
    "What it does",
    "Noticed by",
    "The player’s program",
    "The verifier",
    "`fork`",
    "An audit",
    "What is not caught, and why",
    "Test",
)


class Said(NamedTuple):
    """A deed, what it is called, and what remains when all have looked."""

    deed: deeds.Deed
    title: str
    rest: str


DEEDS: Final = (
    Said(
        deeds.grinds_after_the_promises,
        "Grinds: exchanges its promised seed after a player has promised theirs",
        "Grinding before the table is opened helps nothing: no player’s seed is fixed then.",
    ),
    Said(
        deeds.grinds_after_the_seeds,
        "Grinds: deals and reveals another seed than promised, found once the players’ seeds were out",
        "Until the reveal nobody can tell; the match is played by then.",
    ),
    Said(
        deeds.friend_chooses_last,
        "Has a friend choose another seed than promised, after the honest one is out",
        "–",
    ),
    Said(
        deeds.commits_twice,
        "Uses a commitment again, whose seed one match has revealed: whoever remembers it knows every card of the next",
        "A match’s own record cannot tell, nor a player’s program, which knows its own matches alone and does not"
        " compare those either.",
    ),
    Said(
        deeds.swaps_a_seat,
        "Swaps a seat for one of its choice, after the honest seed is out",
        "–",
    ),
    Said(
        deeds.shows_another_table_than_the_log,
        "Shows the player another table than it has logged, then charges them for the seed they do not give",
        "Only the player’s file tells: what is handed out is a match that keeps the rules.",
    ),
    Said(
        deeds.says_one_seed_is_missing,
        "Drops a player’s seed and calls it missing: they lose the stake",
        "What was on the wire nobody can show. The missing seeds are counted by account.",
    ),
    Said(
        deeds.says_both_seeds_are_missing,
        "Drops the seeds of both sides and calls them missing: stakes go back",
        "As above. Nobody had seen a card.",
    ),
    Said(
        deeds.withholds_the_seed,
        "Never closes the match and never reveals its seed",
        "No force makes it reveal. Everybody sees that it owes the seed, and for how long past `close_by`.",
    ),
    Said(
        deeds.voids_what_it_does_not_like,
        "Ends a match void because it does not like its course: stakes go back",
        "It may, and knows all cards from the last seed on. Such endings are listed, and counted by account.",
    ),
    Said(deeds.forges_a_move, "Forges a move", "–"),
    Said(deeds.forges_an_early_timeout, "Forges a timeout before its time", "–"),
    Said(
        deeds.says_moves_came_too_late,
        "Forges timeouts in time: says of moves that came that they did not",
        "Time is the operator’s word. The player’s memory has the signed moves, which prove nothing to others.",
    ),
    Said(
        deeds.resumes_from_long_ago,
        "Forges a resume by an outage that was over before the decision began",
        "–",
    ),
    Said(
        deeds.resumes_without_an_outage,
        "Forges a resume without a logged outage, to give somebody more time",
        "In the match’s own record an outage is the operator’s word.",
    ),
    Said(
        deeds.makes_an_outage_up,
        "Forges a resume and logs the outage that never was",
        "That the service was there all the time only its players know. Every outage is a leaf in public; that it hit"
        " other matches too can be looked up.",
    ),
    Said(
        deeds.changes_times_afterwards,
        "Changes times of a match that is over, in a log told anew",
        "Without the player’s file, an earlier checkpoint or a demand for witnesses nothing contradicts it.",
    ),
    Said(
        deeds.tells_two_players_two_matches,
        "Forks: tells each of two players that the other ran out of time",
        "`fork` needs both players’ files and the copy. The one whose history was closed sees nothing alone.",
    ),
    Said(
        deeds.shows_two_players_two_logs,
        "Forks: shows two players of one table two logs",
        "–",
    ),
    Said(
        deeds.shows_outsiders_two_logs,
        "Forks: shows two outsiders two logs of one size",
        "Each copy is right alone; they have to compare. Witnesses stand for one of the two only.",
    ),
    Said(
        deeds.shows_outsiders_logs_of_two_sizes,
        "Forks: shows two outsiders two logs of different sizes",
        "Two checkpoints alone contradict nothing; the entries do.",
    ),
    Said(
        deeds.logs_nothing,
        "Never logs the table",
        "There is no match then. A policy that lists no key of the log asks for no proof: play under such a policy is"
        " not in the log’s protection.",
    ),
    Said(
        deeds.drops_a_match,
        "Drops a match from the log (the copy is the player’s own)",
        "Whose earliest checkpoint is from before the match notices nothing: the player has to show theirs.",
    ),
    Said(
        deeds.reorders_a_match,
        "Reorders the leaves of a match",
        "–",
    ),
    Said(
        deeds.reorders_matches,
        "Reorders matches in the log",
        "Matches whose seats had seen nothing of what was moved contradict nothing by themselves.",
    ),
    Said(
        deeds.dates_a_match_back,
        "Back-dates: makes a match up with friends in all seats, with times of the past, and logs it today",
        "Times are its word; the order in the log is not, so that the audit asks. An audit that begins at an earlier"
        " checkpoint does not read the times of the matches before it.",
    ),
    Said(
        deeds.puts_a_match_in_before,
        "Back-dates: puts such a match in among those of the past, in a log told anew",
        "Whoever has neither an earlier checkpoint nor asks for witnesses takes it for old.",
    ),
    Said(
        deeds.makes_a_log_up_afterwards,
        "Makes the log up afterwards: a match that the player won is void in it",
        "Without the player’s file, an earlier checkpoint or a demand for witnesses nothing contradicts it.",
    ),
    Said(
        deeds.invents_a_whole_service,
        "Invents a whole service, players and all, before anybody has seen any of it, and has witnesses cosign it then",
        "Nothing contradicts it, and nobody was cheated by it. A cosignature has the time from when on it stands; no"
        " program compares it with the times of matches.",
    ),
    Said(
        deeds.gives_a_match_up_as_lost,
        "Goes back to a backup, or says so, and gives a match up as lost: stakes go back",
        "Whether a store was lost nobody can tell. Lost matches are listed; later receipts are no contradiction.",
    ),
    Said(
        deeds.plays_on_from_a_backup,
        "Goes back to a backup in secret, and plays on from an older point of a match",
        "Only the player’s file tells: the log has one `close`. A service that runs as it should ends such matches as"
        " lost.",
    ),
    Said(
        deeds.plays_on_in_a_restored_log,
        "Goes back to a backup in secret, log and all (the copy is the player’s, of a match that is gone)",
        "Whoever has no checkpoint from after the backup notices nothing, unless they ask for witnesses. The service"
        " itself does not start behind a checkpoint kept elsewhere, unless its operator wants it to.",
    ),
)
_BY: Final = {
    "program": "the player’s program",
    "verifier": "the verifier",
    "witnesses": "the lack of witnesses",
    "fork": "`fork`",
    "audit": "an audit",
    "questions": "(an audit asks)",
}
INTRODUCTION: Final = f"""
The operator of the tests has every key of the service, and where it helps a friend at the other seat. Each deed is done
to its end, and then everybody looks: the honest player’s program while it plays (what it finds, at which event, when;
it signs nothing more and writes its evidence file); the verifier on what is handed out as the match, with a policy
alone, with the player’s held file (*own file*), with that of the other player where that one is honest too, and with a
policy that asks for witnesses; `fairdeal-verify fork` on all files that honest people have; `fairdeal-verify audit` of
the log as it is shown then, by somebody with nothing else, with a checkpoint from before (`--since`), and with a policy
that asks for witnesses. Verdicts, causes and findings are those of protocol sections 6.5 and 7.6; “asks” are the
questions of an audit, which accuse nobody. `unchecked` `no_anchor` means: nothing contradicts it, and nothing but the
operator stands for it.

**nobody** in the second column is meant so: there the last column says why. The cells between are what the test named
in the row finds (`tests/dishonest/test_deeds.py`).

| {" | ".join(COLUMNS)} |
|{"---|" * len(COLUMNS)}
"""


def row(said: Said, folder: Path) -> str:
    """The deed's line of the table, found out by doing it."""
    with closing(Operator(folder)) as operator:
        found = look(said.deed(operator))
    by = ", ".join(_BY[one] for one in found.by) or "**nobody**"
    by = f"**nobody** {by}" if found.by == ("questions",) else by
    cells = (said.title, by, found.program, found.verifier, found.fork, found.audit, said.rest, f"`{name(said)}`")
    return f"| {' | '.join(cells)} |\n"


def name(said: Said) -> str:
    """The deed's test."""
    return f"test_deed[{said.deed.__name__}]"


def documented() -> tuple[str, list[str]]:
    """What stands in the page: the section up to the table's first row, and the rows."""
    section = PAGE.read_text().partition(HEADING)[2].partition("\n## ")[0] + "\n"
    lines = section.splitlines(keepends=True)
    rows = [line for line in lines if line.startswith("| ")][1:]
    return section.partition(rows[0])[0] if rows else section, rows


def write() -> None:
    """Put what is found into the page."""
    before, heading, after = PAGE.read_text().partition(HEADING)
    _, mark, rest = after.partition("\n## ")
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(row(said, Path(folder) / said.deed.__name__) for said in DEEDS)
    PAGE.write_text(before + heading + INTRODUCTION + rows + mark + rest)


if __name__ == "__main__":
    write()
