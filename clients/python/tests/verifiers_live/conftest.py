"""Rollouts of verifiers 1. They need the extra `verifiers`: see test/clients."""

from __future__ import annotations

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("verifiers") else ["test_*.py"]
