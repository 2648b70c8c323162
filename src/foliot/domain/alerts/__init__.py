"""Alerts: what deserves a person's attention, from the first sign of a trouble to its end. Pure.

A *rule* says what to look for. A *finding* is what a rule sees now, at one subject: a job, a node, a part of the
cluster. An *alert* is one trouble: findings of the same rule, the same cause and the same channels are one alert, so
that forty jobs that fail because of one dead database are told once. A *notice* is one thing to tell one channel.
"""
