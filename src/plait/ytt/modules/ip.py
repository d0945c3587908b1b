"""`@ytt:ip`: parses and checks addresses and networks (docs/reference/modules.md).

An IPv4 address written as IPv6 (`::ffff:1.2.3.4`) is the IPv4 address.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_network

from plait.base.errors import StarlarkError
from plait.ytt.modules.members import Parsed, answering, module_of, only_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

    from plait.tree.context import Context
    from plait.ytt.modules.members import Args, Kwargs
    from plait.ytt.starlark.structs import Module


def module(context: Context) -> Module:  # noqa: ARG001 - the signature all modules share
    return module_of("ip", {"parse_addr": _parse_addr, "parse_cidr": _parse_cidr}, slow=True)


class Addr(Parsed):
    """An address."""

    __slots__ = ()
    type_name = "@ytt:ip.addr"

    def __init__(self, address: IPv4Address | IPv6Address) -> None:
        answers = {"is_ipv4": address.version == 4, "is_ipv6": address.version == 6, "string": str(address)}
        super().__init__(answering("ip.addr", answers))


class Net(Parsed):
    """A network: its first address, and the number of bits that all its addresses share."""

    __slots__ = ()
    type_name = "@ytt:ip.net"

    def __init__(self, network: IPv4Network | IPv6Network) -> None:
        answers = {"addr": Addr(network.network_address), "string": str(network)}
        super().__init__(answering("ip.net", answers))


def _parse_addr(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001
    text = only_text(args)
    address = _address(text)
    if address is None:
        raise StarlarkError(f"invalid IP address: {text}", code="invalid-ip-address")
    return Addr(_as_ipv4(address) or address)


def _parse_cidr(args: Args, kwargs: Kwargs) -> object:  # noqa: ARG001

    text = only_text(args)
    before, _, bits = text.partition("/")
    address = _address(before)
    length = int(bits) if bits.isascii() and bits.isdigit() and len(bits) < 10 else -1
    if address is None or not 0 <= length <= address.max_prefixlen:
        raise StarlarkError(f"invalid CIDR address: {text}", code="invalid-ip-address")
    ipv4 = _as_ipv4(address)
    if ipv4 is not None and length >= 96:
        return Addr(ipv4), Net(ip_network((ipv4, length - 96), strict=False))
    return Addr(ipv4 or address), Net(ip_network((address, length), strict=False))


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _as_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    return address.ipv4_mapped if address.version == 6 else None
