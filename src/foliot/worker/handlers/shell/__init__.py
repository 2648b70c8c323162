"""Commands and scripts: the kind `shell`, and what starts, bounds and ends the processes of its runs."""
