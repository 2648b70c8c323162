"""Runs come to be: of fires, triggers and backfills, each with its place in the job's line."""
