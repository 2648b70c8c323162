"""Reports: how the runs of a day or a week went, beside the period before."""
