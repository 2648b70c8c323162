"""The times of the test profile, and what is promised in terms of them."""

SESSION_TTL_S = 4.0
GRACE_S = 0.4
LEADER_TTL_S = 1.5

LEASED_AGAIN_WITHIN_S = SESSION_TTL_S + GRACE_S + 2  # L3
HOUSEKEEPING_WITHIN_S = LEADER_TTL_S + 2  # L2
EXTRA_DELAY_MAX_S = 1.0  # L2
SETTLE_WITHIN_S = 30.0
