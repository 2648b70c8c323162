"""Anomalies: a job differs from what is usual for it, at this hour of the week and lately.

One file a kind. Each is a pure function of a job's figures, and answers with the numbers of the sentence that explains
it. A kind needs two things to be sure: the difference is far beyond chance, and it is large enough to matter. It must
hold against both baselines, the same hours of the weeks before and the last days: what a job does each Monday is
usual, and so is what it has grown to.
"""
