"""Checks of jobs outside of Foliot: they are to be heard of by a rhythm, and people are told when they are not.

Users call one a *check* (`foliot check ping nightly-backup ok`). In the code it is a heartbeat check, because the
examinations of `foliot cluster doctor` (`domain.checkup`) are called checks, too.
"""
