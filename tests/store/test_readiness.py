"""What any store must say of itself: its last heartbeat, and that it is sound."""

from fairdeal.app.ports import Store


def test_the_heartbeat_is_the_last_one_written(store: Store) -> None:
    assert store.last_beat() is None
    store.beat(5)
    store.beat(7)
    assert store.last_beat() == 7


def test_a_sound_store_is_ready(store: Store) -> None:
    store.check_ready()
