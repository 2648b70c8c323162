"""`python -m foliot`: the same as the `foliot` command."""

from foliot.cli import main

main()
