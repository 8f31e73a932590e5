"""From a batch of rollstream into the record of a trainer: one module a trainer, none imported before it is asked for.

    from rollstream.trainers import verl
    data = verl.to_data_proto(batch, advantage="rollstream", pad_token_id=0)

A converter is pure: it asks nothing, acknowledges nothing, and changes no record. None of them has a default for what
changes the gradient: who computes the advantage is always said, and what is missing (a reward, an advantage, a
logprob, a temperature) raises `Unfit` unless the caller says what to put there. docs/trainers.md has a table of them.
"""
