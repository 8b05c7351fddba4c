"""The compiled module of `sortile` with the engine for GPUs. Nothing here is for users: `import sortile` takes it."""
