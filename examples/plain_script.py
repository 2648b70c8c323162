"""A plain script that hands work to Foliot and waits for it.

With `foliot up jobs.py plain_script.py` running in this folder:  python plain_script.py 3 4
"""

import sys

from foliot import FoliotError, job


@job(retries=2)
def add(numbers: list[int]) -> int:
    """Runs in a worker, not in this process."""
    return sum(numbers)


def main(words: list[str]) -> int:
    """Trigger the job, wait, print."""
    numbers = [int(word) for word in words] or [1, 2, 3]
    try:
        run = add.trigger(numbers)
        print(f"{run.id}: {' + '.join(map(str, numbers))} = {run.wait('1m').result}")
    except FoliotError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
