"""`python -m foliot.cli`: the command line where its script is not installed."""

from foliot.cli import main

if __name__ == "__main__":
    main(prog_name="foliot")
