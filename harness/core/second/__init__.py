"""The laws once more, as slowly and plainly as they can be written, by a judge that shares nothing with the checks.

At every question the state is made again from all records so far: no counters, no replay, no timeline. What the fast
checks say must be what this says. Tests ask with stories that nobody thought of, and `muster soak` with every history.
"""

from harness.core.second.judge import differences, disagreements, second_opinion

__all__ = ["differences", "disagreements", "second_opinion"]
