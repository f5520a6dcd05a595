"""What an integrator installs: a player's program, with its keys, its memory and its checks of the server's word.

`Player` plays whole matches; `MatchClient` checks and signs for one match and leaves the sending to others.
"""

from fairdeal.client.api import Api
from fairdeal.client.errors import (
    AlreadySigned,
    ApiError,
    CheckpointMoved,
    ClientError,
    Contradiction,
    EventsMissing,
    Finding,
    NotLogged,
    NotRemembered,
    Unacceptable,
    UnknownLogKey,
    Unreachable,
)
from fairdeal.client.match_client import MatchClient
from fairdeal.client.memory import Memory
from fairdeal.client.player import Player, Taken
from fairdeal.client.reading import every
from fairdeal.client.strategies import Strategy, Turn, prefer_winning_tricks
from fairdeal.tlog import Policy

__all__ = [
    "AlreadySigned",
    "Api",
    "ApiError",
    "CheckpointMoved",
    "ClientError",
    "Contradiction",
    "EventsMissing",
    "Finding",
    "MatchClient",
    "Memory",
    "NotLogged",
    "NotRemembered",
    "Player",
    "Policy",
    "Strategy",
    "Taken",
    "Turn",
    "Unacceptable",
    "UnknownLogKey",
    "Unreachable",
    "every",
    "prefer_winning_tricks",
]
