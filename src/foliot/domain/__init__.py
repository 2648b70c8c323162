"""What Foliot knows without touching anything: jobs, schedules, plans, runs, policies. Pure."""
