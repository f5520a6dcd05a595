"""Where a call comes from: the connection's other end or, through the operator's own proxies, who they say it was."""

import logging
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final, TypeAlias

log = logging.getLogger("fairdeal.api")

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_SITE_BITS: Final = 64
"""Of an IPv6 address whoever has one has all that begin with these bits (RFC 4291, section 2.5.4)."""
_MAX_HOPS: Final = 20
"""Addresses read in a header; nobody has so many proxies of their own."""


class Proxies:
    """The networks whose X-Forwarded-For is believed; of everybody else it is their own invention."""

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._trusted = tuple(trusted)
        self._told = False

    def caller(self, peer: str, forwarded: Sequence[str]) -> str:
        """The address of the caller at the connection's other end `peer`; `forwarded` are the X-Forwarded-For headers.

        Each proxy adds on the right whom it was called by, so the first one from there that is no proxy of ours is the
        caller. What is no address ends the search at the proxy that passed it on.
        """
        hops = ",".join(forwarded).split(",")[-_MAX_HOPS:] if forwarded else []
        caller = peer
        while hops and self._trusts(caller):
            hop = _parse(hops.pop().strip())
            if hop is None:
                break
            caller = str(hop)
        if forwarded and not self._told and not self._trusts(peer):
            log.warning("X-Forwarded-For from an address that is no trusted proxy", extra={"client": peer})
            self._told = True
        return caller

    def _trusts(self, address: str) -> bool:
        parsed = _parse(address)
        return parsed is not None and any(parsed in network for network in self._trusted)


def bucket_of(address: str) -> str:
    """What is counted as one caller: an IPv4 address, the network of an IPv6 one."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((parsed, _SITE_BITS), strict=False))
    return address if parsed is None else str(parsed)


def _parse(text: str) -> Address | None:
    """The address, an IPv4 one also where it is written as IPv6; None for anything else."""
    try:
        parsed = ip_address(text)
    except ValueError:
        return None
    return (parsed.ipv4_mapped or parsed) if isinstance(parsed, IPv6Address) else parsed
