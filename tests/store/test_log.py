"""The log's part of a store: leaves wait with the step that makes them due, and get their index in one append."""

from dataclasses import replace

import pytest

from fairdeal import canonical
from fairdeal.app.log_ports import CommitResult, LoggedLeaf, LogHead, Outage, SignedCheckpoint
from fairdeal.app.ports import Status, Store
from fairdeal.app.sequencer import LEDGER_MS, mark_journal
from fairdeal.errors import Malformed, RecordsBroken, StoreFailed
from fairdeal.match.leaves import ledger_leaf, outage_leaf
from fairdeal.tlog import EMPTY_ROOT, Frontier, Tile, TileEdge, leaf_hash, root, tiles
from tests.store.house import MOST, House, next_append, open_leaf


def full_leaf(match_id: str) -> bytes:
    return canonical.encode({"m": match_id, "root": "3" * 64, "type": "full"})


def wait_for_index(store: Store, count: int) -> list[bytes]:
    leaves = [outage_leaf(number, number + 1) for number in range(count)]
    for leaf in leaves:
        store.queue_leaf(leaf)
    return leaves


def test_an_empty_log_has_a_head(store: Store) -> None:
    assert store.log_head() == LogHead(0, EMPTY_ROOT)
    assert store.queued_leaves(256) == ()
    assert store.checkpoint() is None
    assert store.tile(Tile(0, 0, 1)) is None


def test_a_leaf_is_queued_with_the_step_that_makes_it_due(store: Store, house: House) -> None:
    ann, ben = house.account(), house.account()
    m = house.open(ann, 0)
    house.sit(m, ann)
    house.sit(m, ben)
    joins = replace(house.joins(m), leaves=(full_leaf(m),))
    assert store.commit(joins) is CommitResult.COMMITTED
    assert [one.leaf for one in store.queued_leaves(9)] == [open_leaf(m), full_leaf(m)]
    assert store.commit(joins) is CommitResult.STALE
    assert len(store.queued_leaves(9)) == 2


def test_a_step_whose_leaf_is_refused_is_not_taken(store: Store, house: House) -> None:
    ann = house.account()
    table = house.new_table(ann, 0)
    with pytest.raises(Malformed):
        store.open_table(replace(table, leaves=(b"{}",)), MOST)
    assert store.table(table.match_id) is None
    m = house.open(ann, 0)
    again = replace(house.append(m, status=Status.OPEN), leaves=(open_leaf(m),))
    with pytest.raises(RecordsBroken):
        store.commit(again)
    assert store.append_leaves(next_append(store)) is CommitResult.COMMITTED
    with pytest.raises(RecordsBroken, match="in the log"):
        store.commit(again)
    assert house.table(m).size == 1


@pytest.mark.parametrize("batches", [(1, 1, 1), (255, 1, 1, 255), (256, 256, 3), (100, 200, 256)])
def test_leaves_tiles_and_head_are_those_of_the_whole_tree(store: Store, batches: tuple[int, ...]) -> None:
    leaves = wait_for_index(store, sum(batches))
    for batch in batches:
        assert store.append_leaves(next_append(store, batch)) is CommitResult.COMMITTED
    hashes = [leaf_hash(leaf) for leaf in leaves]
    assert store.log_head() == LogHead(len(leaves), root(hashes))
    assert store.leaves(0, len(leaves) + 9) == tuple(leaves)
    assert store.leaves(1, 3) == tuple(leaves[1:3])
    assert store.queued_leaves(9) == ()
    _, whole = TileEdge().append(hashes)
    for tile in tiles(len(leaves)):
        assert store.tile(tile) == whole[tile]


def test_a_tile_is_given_in_every_width_that_it_had(store: Store) -> None:
    hashes = [leaf_hash(leaf) for leaf in wait_for_index(store, 3)]
    store.append_leaves(next_append(store))
    assert [store.tile(Tile(0, 0, width)) for width in (1, 2, 3, 4)] == [
        hashes[0],
        hashes[0] + hashes[1],
        b"".join(hashes),
        None,
    ]
    assert store.tile(Tile(1, 0, 1)) is None


def test_of_two_appends_on_one_head_the_second_writes_nothing(store: Store) -> None:
    wait_for_index(store, 3)
    first, second = next_append(store, 2), next_append(store, 3)
    assert store.append_leaves(first) is CommitResult.COMMITTED
    head = store.log_head()
    assert store.append_leaves(second) is CommitResult.STALE
    assert store.append_leaves(first) is CommitResult.STALE
    assert store.log_head() == head
    assert len(store.queued_leaves(9)) == 1
    assert len(store.leaves(0, 9)) == 2


def test_a_leaf_that_did_not_wait_is_not_appended(store: Store) -> None:
    wait_for_index(store, 2)
    append = next_append(store)
    made_up = tuple(replace(one, seq=one.seq + 7) for one in append.leaves)
    with pytest.raises(RecordsBroken):
        store.append_leaves(replace(append, leaves=made_up))
    assert store.log_head().size == 0
    assert store.leaves(0, 9) == ()


def test_the_leaves_of_a_match_are_found(store: Store, house: House) -> None:
    ann = house.account()
    other, m = house.open(ann, 0), house.open(ann, 0)
    store.append_leaves(next_append(store))
    store.commit(replace(house.append(m, status=Status.OPEN), leaves=(full_leaf(m),)))
    store.append_leaves(next_append(store))
    assert store.match_leaves(m) == (LoggedLeaf(1, open_leaf(m)), LoggedLeaf(2, full_leaf(m)))
    assert store.match_leaves(other) == (LoggedLeaf(0, open_leaf(other)),)
    assert store.match_leaves("f" * 32) == ()


def test_one_checkpoint_of_a_size_is_kept_and_none_beyond_the_head(store: Store) -> None:
    store.keep_checkpoint(0, "of nothing")
    wait_for_index(store, 2)
    store.append_leaves(next_append(store))
    store.keep_checkpoint(2, "of two")
    store.keep_checkpoint(2, "of two")
    for size, note in ((2, "of other two"), (3, "of three")):
        with pytest.raises(RecordsBroken):
            store.keep_checkpoint(size, note)
    assert store.checkpoint() == store.checkpoint(2) == SignedCheckpoint(2, "of two")
    assert store.checkpoint(0) == SignedCheckpoint(0, "of nothing")
    assert store.checkpoint(1) is None


def test_cosignatures_stand_with_their_checkpoint(store: Store) -> None:
    store.keep_checkpoint(0, "zero\n\nmine\n")
    wait_for_index(store, 1)
    store.append_leaves(next_append(store))
    store.keep_checkpoint(1, "one\n\nmine\n")
    assert store.cosigned_checkpoints(0, ["a", "b"], 1, 9) == ()
    for size, witness, line in ((1, "b", "line b\n"), (1, "a", "line a\n"), (1, "a", "later\n"), (0, "a", "line\n")):
        store.add_cosignature(size, witness, line)
    found = store.checkpoint()
    assert found is not None
    assert found.text == "one\n\nmine\nline a\nline b\n"
    for least, witnesses, enough, limit, sizes in (
        (0, ["a", "b"], 1, 9, [1, 0]),
        (0, ["a", "b"], 1, 1, [1]),
        (1, ["a", "b"], 1, 9, [1]),
        (0, ["a", "b"], 2, 9, [1]),
        (0, ["b", "c"], 1, 9, [1]),
        (0, ["b", "c"], 2, 9, []),
    ):
        assert [one.size for one in store.cosigned_checkpoints(least, witnesses, enough, limit)] == sizes
    with pytest.raises((RecordsBroken, StoreFailed)):
        store.add_cosignature(7, "a", "line\n")


def test_an_outage_comes_with_its_leaf_and_the_beat_that_ends_it(store: Store) -> None:
    outages = [Outage(10, 20), Outage(30, 45)]
    for one in outages:
        store.beat(one.start)
        assert store.add_outage(one, outage_leaf(one.start, one.end)) is CommitResult.COMMITTED
    assert store.add_outage(Outage(30, 50), outage_leaf(30, 50)) is CommitResult.STALE, "another process was faster"
    store.beat(44)
    assert store.last_beat() == 45
    assert [one.leaf for one in store.queued_leaves(9)] == [outage_leaf(10, 20), outage_leaf(30, 45)]
    assert store.outages(0) == store.outages(20) == tuple(outages)
    assert store.outages(21) == (outages[1],)
    with pytest.raises(RecordsBroken):
        store.add_outage(Outage(45, 45), outage_leaf(45, 46))
    assert store.last_beat() == 45


def test_the_mark_of_the_journal_moves_once_from_where_it_was(store: Store, house: House) -> None:
    before = store.journal_mark()
    assert before.frontier == Frontier()
    house.account(500)
    frontier = Frontier().append(leaf_hash(store.journal(0, 9)[0]))
    after = replace(before, frontier=frontier, at=77)
    leaf = ledger_leaf(frontier.root(), 1)
    assert store.move_journal_mark(before, after, leaf) is CommitResult.COMMITTED
    assert store.journal_mark() == after
    assert store.move_journal_mark(before, after, leaf) is CommitResult.STALE
    assert [one.leaf for one in store.queued_leaves(9)] == [leaf]


def test_a_ledger_leaf_never_stands_behind_the_leaf_of_a_later_transaction(store: Store, house: House) -> None:
    """Else the journal that it fits lacks money that a match before it in the log has moved."""
    before = store.journal_mark()
    house.account(500)
    frontier = Frontier().append(leaf_hash(store.journal(0, 9)[0]))
    house.account(500)
    mark, leaf = replace(before, frontier=frontier, at=77), ledger_leaf(frontier.root(), 1)
    assert store.move_journal_mark(before, mark, leaf) is CommitResult.STALE
    assert store.journal_mark() == before
    assert store.queued_leaves(9) == ()
    mark_journal(store, LEDGER_MS)
    assert store.journal_mark().frontier.size == 2


def test_a_queue_is_replaced_whole_or_not_at_all(store: Store, house: House) -> None:
    m = house.open(house.account(), 0)
    with pytest.raises(Malformed):
        store.replace_queue([outage_leaf(1, 2), b"{}"])
    assert [one.leaf for one in store.queued_leaves(None)] == [open_leaf(m)]
    store.replace_queue([outage_leaf(1, 2), open_leaf(m)])
    assert [one.leaf for one in store.queued_leaves(None)] == [outage_leaf(1, 2), open_leaf(m)]


def test_the_sizes_of_checkpoints_are_listed(store: Store) -> None:
    wait_for_index(store, 3)
    for size in (1, 2, 3):
        store.append_leaves(next_append(store, 1))
        store.keep_checkpoint(size, f"of {size}")
    assert store.checkpoint_sizes(0, 2) == (1, 2)
    assert store.checkpoint_sizes(1, 9) == (2, 3)
    assert store.checkpoint_sizes(3, 9) == ()
