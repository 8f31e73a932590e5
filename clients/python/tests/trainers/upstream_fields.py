"""Fields of the trainers' records, read in their sources; in the order of the source.

Where a trainer installs beside the tests they are compared with its own types; the others are held to these lists.
"""

from __future__ import annotations

# THUDM/slime 624b824a898ab0ec1fcb4d373004c7f3852bf515 slime/utils/types.py, class Sample
SLIME_SAMPLE = (
    "group_index", "index", "rollout_id", "prompt", "tokens", "multimodal_inputs", "multimodal_train_inputs",
    "multimodal_train_input_id", "apply_chat_template_kwargs", "response", "response_length", "label", "reward",
    "loss_mask",    "weight_versions", "rollout_log_probs", "rollout_top_p_token_ids", "rollout_top_p_token_offsets",
    "rollout_routed_experts", "remove_sample", "teacher_log_probs", "status", "metadata", "generate_function_path",
    "custom_rm_path", "train_metadata", "session_id", "non_generation_time", "spec_info", "prefix_cache_info",
)  # fmt: skip
SLIME_STATUS = ("pending", "completed", "truncated", "aborted", "failed")

# PrimeIntellect-ai/prime-rl 559b44772e471d1538537b8805cc77f3824a5e64 src/prime_rl/transports/rollouts/types.py
# On the wire they are arrays: the order is the schema.
PRIME_RL_SAMPLE: dict[str, object] = {
    "token_ids": list[int], "mask": list[bool], "logprobs": list[float], "temperatures": list[float], "env_name": str,
    "ref_logprobs": list[float] | None, "mm_kwargs": dict[str, object] | None, "routed_experts": list[object] | None,
    "mm_token_type_ids": list[int] | None, "rl_weights": list[float] | None, "ce_weights": list[float] | None,
    "ref_kl_weights": list[float] | None, "advantages": list[float] | None,
}  # fmt: skip
PRIME_RL_MICRO_BATCH: dict[str, object] = {
    "input_ids": list[int], "loss_mask": list[bool], "advantages": list[float], "inference_logprobs": list[float],
    "position_ids": list[int], "sequence_lengths": list[int], "temperatures": list[float], "env_names": list[str],
    "seq_lens": list[int], "ref_logprobs": list[float] | None, "routed_experts": list[object] | None,
    "mm_kwargs": dict[str, object] | None, "mm_token_type_ids": list[int] | None, "rl_weights": list[float] | None,
    "ce_weights": list[float] | None, "ref_kl_weights": list[float] | None,
}  # fmt: skip

# verl-project/verl 1dda039b9c6311889a9c9a26040677e1254814f9 verl/experimental/agent_loop/agent_loop.py, _postprocess
VERL_TENSORS = (
    "prompts", "responses", "response_mask", "input_ids", "attention_mask", "position_ids", "rollout_log_probs",
    "rm_scores",
)  # fmt: skip
# the same file, class AgentLoopOutput
VERL_AGENT_LOOP_OUTPUT = (
    "prompt_ids", "response_ids", "response_mask", "response_logprobs", "routed_experts", "multi_modal_data",
    "reward_score", "num_turns", "metrics", "extra_fields", "mm_processor_kwargs",
)  # fmt: skip

# areal-project/AReaL cbff54d645d2cd8ee1f1c358a82f3f473588433d areal/workflow/rlvr.py, arun_episode: name and dtype
AREAL = {
    "input_ids": "int32", "loss_mask": "int32", "logprobs": "float32", "versions": "int32", "turn_ids": "int32",
    "attention_mask": "bool", "rewards": "float32",
}  # fmt: skip

# NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265 skyrl/train/generators/base.py, class GeneratorOutput
SKYRL_GENERATOR_OUTPUT = (
    "prompt_token_ids", "response_ids", "rewards", "loss_masks", "stop_reasons", "rollout_metrics", "rollout_logprobs",
    "trajectory_ids", "trajectory_generation_times", "trajectory_time_splits", "rollout_expert_indices", "is_last_step",
    "env_metrics", "pixel_values", "image_grid_thw",
)  # fmt: skip

# NVIDIA-NeMo/RL 7ea279abfbeb698b092856d0dab61e7cf39bc909 nemo_rl/data_plane/schema.py, DP_TRAIN_FIELDS
NEMO_RL_TRAIN = (
    "input_ids", "input_lengths", "generation_logprobs", "prev_logprobs", "reference_policy_logprobs", "advantages",
    "token_mask", "sample_mask",
)  # fmt: skip

# huggingface/trl f2cd57710ae345ea6428ae95363267fcf38a3dc8 trl/trainer/grpo_trainer.py, _generate
TRL_REQUIRED = ("prompt_ids", "completion_ids", "logprobs")
