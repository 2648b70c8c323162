"""The raw twins: fire, lease and end as bare set-based SQL on one connection, batch 500. They decide nothing."""
