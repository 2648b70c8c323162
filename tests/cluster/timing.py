"""The times of the test profile, and what is promised in terms of them."""

from tests.cluster.conftest import Size

SESSION_TTL_S = 4.0
GRACE_S = 0.4
LEADER_TTL_S = 1.5

LEASED_AGAIN_WITHIN_S = SESSION_TTL_S + GRACE_S + 2  # L3
HOUSEKEEPING_WITHIN_S = LEADER_TTL_S + 2  # L2
EXTRA_DELAY_MAX_S = 1.0  # L2
SETTLE_WITHIN_S = 30.0

SLACK: dict[Size, float] = {"short": 8.0, "full": 1.0}
"""How soon is promised for a machine that has time, and judged by the matrix on one that does nothing else. In short,
whatever else the machine does meanwhile, it is seen that it happens, and not how soon."""
