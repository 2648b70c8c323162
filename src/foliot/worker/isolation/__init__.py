"""Where handlers execute: in the worker's loop, in a child process, in a thread; and how they are stopped there."""
