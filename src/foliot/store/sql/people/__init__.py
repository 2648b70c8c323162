"""What people read and own: lists, details, tokens, the journal, remembered answers, saved views.

Writes `tokens`, `login_codes`, `events`, `replies`, `views`; of `limits` the maximum of a named one.

Locks: the `replies` row of a request that is repeated, and the `limits` row that is set; each alone in its transaction.
"""
