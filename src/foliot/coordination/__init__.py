"""Election and wake-ups among servers, one file per backend: `ports.coordinator` says what each must do."""
