"""Real processes against a real store, broken on purpose, judged by foliot-check."""
