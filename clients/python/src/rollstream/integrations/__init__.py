"""Records what environments of other projects do, as they do it."""
