"""What users declare jobs with: decorators, Ctx, parameters, results; how a handler is found and called."""
