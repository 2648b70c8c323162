"""When a job is due: cron, intervals, one-off instants, calendars, zones."""
