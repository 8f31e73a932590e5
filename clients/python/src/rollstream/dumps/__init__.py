"""Dumps that trainers write with `torch.save`, as JSON Lines. Nothing in them is run, torch is not needed."""
