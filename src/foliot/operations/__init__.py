"""What a person or a worker may ask for, one file each. Edges (API, gateways) call these and nothing deeper."""
