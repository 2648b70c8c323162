"""Alerts: rules, silences, what runs show of failures, the troubles that are open, channels, and the outbox.

Writes `alert_rules`, `silences`, `alerts`, `alert_subjects`, `channels`, `outbox`, `heartbeats`,
`heartbeat_pings`; takes away rows of `failure_signs`.

Locks, in this order: `alerts` by id, then `channels`, then `outbox`. The leader's round and a person who acknowledges
meet at the version of an alert's row: who comes second does it again. Notices that are due are taken with locked rows
passed over.
"""
