"""What is read when somebody asks for the metrics: the state of play, of the log, of the clock and of the disks."""

from fairdeal.api.metrics import Metrics
from fairdeal.app.disks import Disks
from fairdeal.app.heart import Heart
from fairdeal.app.hub import Hub
from fairdeal.app.matches import Matches
from fairdeal.app.ports import Store
from fairdeal.app.right_clock import RightClock
from fairdeal.app.sequencer import Sequencer
from fairdeal.app.witnesses import Witnesses

QUEUE_COUNTED = 10_000
"""Waiting leaves are counted so far: by then somebody has been woken up."""


def watch_play(metrics: Metrics, store: Store, matches: Matches, hub: Hub) -> None:
    """Matches and what is done in them."""
    metrics.read("fairdeal_matches", "Matches that have not ended.", store.count_unfinished, "status")
    metrics.read("fairdeal_streams", "Event streams that are open.", hub.count)
    metrics.read_total("fairdeal_commits", "Steps of matches committed.", lambda: matches.tally().commits)
    metrics.read_total("fairdeal_events", "Events committed.", lambda: matches.tally().events, "type")
    metrics.read_total(
        "fairdeal_overtaken", "Actions in time that another worker's timeout beat.", lambda: matches.tally().overtaken
    )
    metrics.read_total("fairdeal_actions", "Signed actions committed.", lambda: matches.tally().actions, "kind")


def watch_clock(metrics: Metrics, store: Store, heart: Heart, clock: RightClock) -> None:
    """Whether deadlines are kept, and the service was there."""

    def due_seconds() -> float:
        now = clock.unchecked_ms()
        due = [table.due_at for m in store.due_matches(now, 1) if (table := store.table(m)) and table.due_at]
        return max((now - at for at in due), default=0) / 1000

    metrics.read("fairdeal_due_seconds", "How long the match that is longest overdue has been so.", due_seconds)
    metrics.read(
        "fairdeal_clock_ahead_seconds",
        "How far this machine's clock is ahead of the database's, below 0 behind it.",
        lambda: clock.ahead_ms() / 1000,
    )
    metrics.read_total(
        "fairdeal_outages", "Outages that players were given their time back for.", lambda: heart.outages
    )


def watch_log(metrics: Metrics, store: Store, sequencer: Sequencer, witnesses: Witnesses) -> None:
    """Whether the log of all matches goes on, and who has cosigned how much of it."""
    metrics.read(
        "fairdeal_log_queue", "Leaves that wait, counted up to 10,000.", lambda: len(store.queued_leaves(QUEUE_COUNTED))
    )
    metrics.read("fairdeal_log_behind_seconds", "No leaf has waited for longer.", sequencer.behind_s)
    metrics.read("fairdeal_log_size", "Leaves of the log.", lambda: store.log_head().size)
    metrics.read(
        "fairdeal_log_signed_timestamp_seconds",
        "When a checkpoint was last signed, since 1970; 0: not yet.",
        lambda: sequencer.signed_at / 1000,
    )
    metrics.read("fairdeal_log_cosigned_size", "Leaves that a witness has cosigned.", witnesses.cosigned, "witness")


def watch_disks(metrics: Metrics, disks: Disks) -> None:
    """How much room is left."""
    metrics.read("fairdeal_disk_free_bytes", "Free for what is kept there.", disks.free, "kept")
    metrics.read(
        "fairdeal_disk_short", "How many of them have less than the alarm asks for.", lambda: len(disks.short())
    )
