"""What an engine answered, recorded whole: SGLang's /generate and the OpenAI-compatible servers."""

from __future__ import annotations

from .aux_folder import AuxFolder
from .generated_call import CallSink, GeneratedCall
from .read_response import read_response
from .record_generate import record_generate

__all__ = ["AuxFolder", "CallSink", "GeneratedCall", "read_response", "record_generate"]
