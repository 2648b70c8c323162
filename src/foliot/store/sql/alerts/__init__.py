"""Alerts: rules, silences, what runs show of failures, the troubles that are open, and whom to tell.

Writes `alert_rules`, `silences`, `alerts`, `alert_subjects`, `outbox`.

Locks, in this order: `alerts` by id, then `outbox`. The leader's round and a person who acknowledges meet at the
version of an alert's row: who comes second does it again.
"""
