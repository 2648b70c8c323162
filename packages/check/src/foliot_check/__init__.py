"""foliot-check: an independent judge of Foliot's promises. It reads what happened and imports nothing of Foliot's.

It takes the store's tables, the history that test-only triggers recorded, the journals of the test handlers and of the
nemesis, and verifies the invariants I1 to I24 as far as there is something to see. Its schedule oracle is brute force
over seconds with `zoneinfo`, so that it shares no mistake with the engine.
"""
