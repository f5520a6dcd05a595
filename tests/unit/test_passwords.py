from argon2 import Type

from fairdeal.app.passwords import _hasher  # the one of the service: that of the tests takes its place later


def test_guessing_a_password_is_as_dear_as_owasp_asks() -> None:
    cost = _hasher.memory_cost, _hasher.time_cost, _hasher.parallelism
    assert (_hasher.type, *cost) == (Type.ID, 19 * 1024, 2, 1)
