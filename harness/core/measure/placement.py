"""How many GPUs could have been used: the optimum that a placement is compared with, or a bound of it.

A scheduler that leaves GPUs idle may have had no choice: gangs start whole, and members do not share nodes at will. So
its placement is compared with the most that any scheduler could have used. That is exact when all members ask for the
same number of GPUs, and when the numbers divide each other and the nodes' (1, 2, 4 on nodes of 8): then only the sums
count, and which sums gangs can reach is a subset problem that fits into one large integer. In all other cases it is an
upper bound, and called so.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class Usable(NamedTuple):
    """GPUs that can be used at the same time."""

    gpus: int
    is_exact: bool  # otherwise no scheduler can use more, but perhaps none can use that many


def usable(nodes: Sequence[int], gangs: Sequence[tuple[int, int]]) -> Usable:
    """The most GPUs of these nodes (GPUs of each) that whole gangs (members, GPUs of each member) can use."""
    sizes = sorted({gpus for _, gpus in gangs if gpus > 0})
    if not sizes or not nodes:
        return Usable(0, True)
    largest, smallest = max(nodes), sizes[0]
    possible = [(members, gpus) for members, gpus in gangs if 0 < gpus <= largest]
    if len(sizes) == 1:
        slots = sum(node // smallest for node in nodes)
        return Usable(_best(slots, [members for members, _ in possible]) * smallest, True)
    fullest = {node: _fullest(node, sizes) for node in set(nodes)}
    room = sum(fullest[node] for node in nodes)
    return Usable(_best(room, [members * gpus for members, gpus in possible]), _is_chain(sizes, nodes))


def _best(room: int, amounts: Sequence[int]) -> int:
    """The largest sum of some of the amounts that does not exceed the room."""
    mask = (1 << (room + 1)) - 1
    sums = 1  # bit n is set if n can be reached
    for amount in amounts:
        sums |= (sums << amount) & mask
    return sums.bit_length() - 1


def _fullest(node: int, sizes: Sequence[int]) -> int:
    """The most of a node that any number of members of these sizes can use."""
    reached = {0}
    for amount in range(1, node + 1):
        if any(amount - size in reached for size in sizes):
            reached.add(amount)
    return max(reached)


def _is_chain(sizes: Sequence[int], nodes: Sequence[int]) -> bool:
    """Whether each size divides the next and the largest every node: then whatever fits in sum can be packed."""
    return all(b % a == 0 for a, b in pairwise(sizes)) and all(node % sizes[-1] == 0 for node in nodes)
