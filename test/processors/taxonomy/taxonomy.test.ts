import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { packageFile } from '../../../src/config/package-file.ts';

const yaml = (path: string): unknown => parse(readFileSync(packageFile(path), 'utf8'));
const read = readTaxonomy(yaml('processors/taxonomy/taxonomy.yaml'), 'id');
if (read.kind === 'refused') throw new Error(JSON.stringify(read.problems));
const taxonomy = read.value;

/** What each system writes when a loop ends, and what that is called here: by hand, from the systems' own sources. */
const UNION: ReadonlyArray<readonly [code: string, system: string, raws: readonly string[]]> = [
  ['task_complete', 'strands-env', ['task_complete']],
  ['task_complete', 'verifiers', ['agent_completed', 'no_tools_called', 'has_final_env_response']],
  ['task_complete', 'rllm', ['env_done']],
  ['task_complete', 'skyrl', ['complete']],
  ['task_complete', 'roll', ['finish']],
  ['task_complete', 'slime', ['completed']],
  ['task_complete', 'openhands', ['finished']],
  ['task_complete', 'inspect', ['success']],
  ['task_complete', 'agent-lightning', ['succeeded']],
  ['task_complete', 'terminal-bench', ['none']],
  ['task_complete', 'nemo-gym', ['finished_naturally']],
  ['task_complete', 'gymnasium', ['terminated']],
  ['task_complete', 'rlds', ['is_terminal']],
  ['task_complete', 'openenv', ['done']],
  ['task_complete', 'rollstream', ['task_complete', 'completed']],
  ['submitted', 'swe-agent', ['submitted']],
  ['submitted', 'mini-swe-agent', ['Submitted', 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT']],
  ['agent_stop', 'tau2', ['agent_stop']],
  ['user_stop', 'tau2', ['user_stop']],
  ['user_stop', 'verifiers', ['user_closed']],
  ['user_stop', 'tau-bench', ['###STOP###']],

  ['format_errors', 'swe-agent', ['exit_format']],
  ['format_errors', 'mini-swe-agent', ['RepeatedFormatError', 'FormatError']],
  ['format_errors', 'tau2', ['too_many_errors']],
  ['format_errors', 'terminal-bench', ['fatal_llm_parse_error']],
  ['format_errors', 'verifiers', ['ToolParseError', 'verifiers.errors.ToolParseError']],
  ['format_errors', 'bfcl', ['decoder_failed']],
  ['format_errors', 'roll', ['parse_error']],
  ['format_errors', 'openreward', ['parse_error']],
  ['stuck_loop', 'openhands', ['stuck', 'loop_detection']],
  ['stuck_loop', 'nemo-gym', ['stuck_in_loop']],
  ['gave_up', 'swe-agent', ['exit_forfeit']],
  ['gave_up', 'verifiers', ['no_tool_call']],
  ['rejected', 'openhands', ['rejected']],
  ['empty_action', 'verifiers', ['empty_action', 'EmptyModelResponseError']],
  ['empty_action', 'bfcl', ['empty_turn_model_response']],
  ['refusal', 'openai', ['content_filter']],
  ['refusal', 'harbor', ['AgentSafetyRefusalError']],
  ['refusal', 'openhands', ['content-policy', 'STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION']],
  ['agent_error', 'tau2', ['agent_error']],
  ['agent_error', 'harbor', ['NonZeroAgentExitCodeError']],
  ['agent_error', 'terminal-bench', ['unknown_agent_error']],
  ['agent_error', 'swe-agent', ['exit_error', 'exit_command']],

  ['harness_error', 'verifiers', ['HarnessError']],
  ['harness_error', 'nemo-gym', ['message_count_mismatch']],
  ['harness_error', 'harbor', ['RuntimeError', 'builtins.RuntimeError']],
  ['harness_error', 'strands-env', ['aborted']],
  ['recursion_depth', 'strands-env', ['recursion_depth_exceeded']],

  ['output_tokens', 'openai', ['length']],
  ['output_tokens', 'anthropic', ['max_tokens']],
  ['output_tokens', 'strands-env', ['max_tokens_reached', 'max_total_completion_tokens_reached']],
  ['output_tokens', 'slime', ['truncated']],
  ['output_tokens', 'rllm', ['max_response_length_exceeded']],
  ['output_tokens', 'harbor', ['OutputLengthError', 'OutputTokenExceededError']],
  ['output_tokens', 'terminal-bench', ['output_length_exceeded']],
  ['output_tokens', 'verifiers', ['max_output_tokens']],
  ['output_tokens', 'verl', ['length']],
  ['output_tokens', 'areal', ['length']],
  ['context_overflow', 'strands-env', ['context_window_overflow']],
  ['context_overflow', 'swe-agent', ['exit_context']],
  ['context_overflow', 'inspect', ['context', 'model_length']],
  ['context_overflow', 'harbor', ['ContextLengthError', 'ContextWindowExceededError']],
  ['context_overflow', 'tau2', ['context_window_exceeded']],
  ['context_overflow', 'verifiers', ['context_length', 'prompt_too_long', 'OverlongPromptError']],
  ['context_overflow', 'rllm', ['max_prompt_length_exceeded']],
  ['context_overflow', 'nemo-gym', ['context_window']],
  ['context_overflow', 'roll', ['max_length']],
  ['max_turns', 'verifiers', ['max_turns_reached', 'max_turns']],
  ['max_turns', 'rllm', ['max_turns_exceeded']],
  ['max_turns', 'tau2', ['max_steps']],
  ['max_turns', 'inspect', ['message', 'turn']],
  ['max_turns', 'roll', ['max_steps']],
  ['max_turns', 'openhands', ['MaxIterationsReached']],
  ['max_turns', 'nemo-gym', ['max_iteration']],
  ['max_turns', 'bfcl', ['force_terminated']],
  ['max_turns', 'mini-swe-agent', ['LimitsExceeded(step)']],
  ['max_turns', 'strands-env', ['max_messages_reached']],
  ['max_tool_calls', 'strands-env', ['max_tool_calls_reached', 'max_tool_iterations_reached']],
  ['wall_clock', 'harbor', ['AgentTimeoutError', 'harbor.trial.errors.AgentTimeoutError']],
  ['wall_clock', 'strands-env', ['timeout']],
  ['wall_clock', 'swe-agent', ['exit_total_execution_time']],
  ['wall_clock', 'mini-swe-agent', ['TimeExceeded']],
  ['wall_clock', 'tau2', ['timeout']],
  ['wall_clock', 'rllm', ['timeout']],
  ['wall_clock', 'inspect', ['time', 'working']],
  ['wall_clock', 'agent-lightning', ['timeout']],
  ['wall_clock', 'terminal-bench', ['agent_timeout']],
  ['wall_clock', 'verifiers', ['timeout_reached']],
  ['wall_clock', 'nemo-gym', ['timeout_exceeded', 'agent_timed_out']],
  ['total_tokens', 'verifiers', ['max_total_tokens', 'max_input_tokens']],
  ['total_tokens', 'inspect', ['token']],
  ['cost', 'inspect', ['cost']],
  ['cost', 'swe-agent', ['exit_cost']],
  ['cost', 'openhands', ['MaxBudgetReached']],
  ['cost', 'mini-swe-agent', ['LimitsExceeded(cost)']],
  ['limit_unspecified', 'mini-swe-agent', ['LimitsExceeded']],
  ['limit_unspecified', 'gymnasium', ['truncated']],

  ['env_setup', 'harbor', ['EnvironmentStartTimeoutError', 'SandboxBuildFailedError', 'HealthcheckError']],
  ['env_setup', 'harbor', ['AgentSetupTimeoutError']],
  ['env_setup', 'roll', ['env_reset_failed', 'sandbox_init_failed']],
  ['env_setup', 'terminal-bench', ['agent_installation_failed']],
  ['env_crash', 'swe-agent', ['exit_environment_error']],
  ['env_crash', 'verifiers', ['SandboxError', 'EnvError', 'ToolsetError']],
  ['env_crash', 'nemo-gym', ['sandbox']],
  ['env_crash', 'tau2', ['user_error']],
  // Apart from env_crash: it carries whose memory it was.
  ['out_of_memory', 'nemo-gym', ['oom']],
  ['out_of_memory', 'harbor', ['MemoryLimitExceededError']],
  ['tool_timeout', 'swe-agent', ['exit_command_timeout']],
  ['tool_timeout', 'roll', ['env_timeout']],

  ['inference_abort', 'sglang', ['abort']],
  ['inference_abort', 'vllm', ['abort']],
  ['inference_abort', 'verl', ['aborted']],
  ['inference_abort', 'areal', ['abort']],
  ['inference_abort', 'slime', ['aborted']],
  ['llm_error', 'swe-agent', ['exit_api']],
  ['llm_error', 'harbor', ['ApiError', 'ApiConnectionError', 'ApiTimeoutError']],
  ['llm_error', 'openhands', ['ERROR_LLM_SERVICE_UNAVAILABLE', 'STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR']],
  ['llm_error', 'verifiers', ['ModelError', 'ProviderError']],
  ['llm_error', 'roll', ['llm_generate_failed']],
  ['llm_error', 'tau2', ['infrastructure_error']],
  ['llm_error', 'strands-env', ['connection_error']],
  ['rate_limited', 'harbor', ['ApiRateLimitError', 'ApiOverloadedError', 'HTTP 429 Too Many Requests']],
  ['rate_limited', 'openhands', ['rate_limited']],
  ['rate_limited', 'strands-env', ['throttled']],
  ['auth_quota', 'harbor', ['ApiUsageLimitError', 'AgentAuthenticationError', 'ModelNotFoundError']],
  ['auth_quota', 'openhands', ['OUT_OF_CREDITS', 'ERROR_LLM_OUT_OF_CREDITS']],
  ['auth_quota', 'strands-env', ['auth_error']],
  ['worker_lost', 'nemo-gym', ['kill_shaped']],
  ['worker_lost', 'agent-lightning', ['unresponsive']],
  ['worker_lost', 'verifiers', ['TunnelError', 'InterceptionError']],
  ['worker_lost', 'rlds', ['invalid']],
  ['worker_lost', 'rollstream', ['source_ended', 'idle', 'lifetime', 'recorder_closed']],

  ['verifier_timeout', 'harbor', ['VerifierTimeoutError']],
  ['verifier_timeout', 'terminal-bench', ['test_timeout']],
  ['verifier_timeout', 'nemo-gym', ['eval_timeout']],
  ['reward_missing', 'harbor', ['RewardFileNotFoundError', 'RewardFileEmptyError']],
  ['verifier_error', 'harbor', ['VerifierOutputParseError']],
  ['verifier_error', 'terminal-bench', ['parse_error']],
  ['verifier_error', 'nemo-gym', ['judge_failed']],
  ['verifier_error', 'verifiers', ['TaskError']],

  ['operator', 'inspect', ['operator', 'custom', 'cancelled']],
  ['operator', 'openhands', ['stopped', 'paused', 'user_rejected']],
  ['operator', 'mini-swe-agent', ['UserInterruption']],
  ['operator', 'agent-lightning', ['cancelled']],
  ['operator', 'python', ['CancelledError', 'KeyboardInterrupt', 'asyncio.exceptions.CancelledError']],
  ['rate_limited', 'python', ['RateLimitError', 'openai.RateLimitError']],
  ['skipped', 'nemo-gym', ['skipped']],
  ['skipped', 'roll', ['eval_gt', 'no_system_prompt']],

  ['unknown', 'strands-env', ['not_terminated', 'unclassified_error']],
  ['unknown', 'slime', ['pending', 'failed']],
  ['unknown', 'terminal-bench', ['unset', 'unknown']],
  ['unknown', 'rllm', ['error', 'unknown']],
  ['unknown', 'tau2', ['unexpected_error']],
  ['unknown', 'verl', ['']],
  ['unknown', 'areal', ['']],
  ['unknown', 'nemo-gym', ['has_error']],
];

/** What each engine says of one call. */
const ENGINES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openai: { stop: 'complete', tool_calls: 'complete', function_call: 'complete', length: 'cut', content_filter: 'cut' },
  'openai-responses': {
    ...{
      completed: 'complete',
      incomplete: 'cut',
      in_progress: 'cut',
      max_output_tokens: 'cut',
      content_filter: 'cut',
    },
    ...{ failed: 'aborted', cancelled: 'aborted', queued: 'aborted' },
  },
  sglang: { stop: 'complete', length: 'cut', abort: 'aborted' },
  vllm: { stop: 'complete', length: 'cut', abort: 'aborted', error: 'aborted' },
  verl: { completed: 'complete', length: 'cut', aborted: 'aborted' },
  areal: { stop: 'complete', tool_calls: 'complete', length: 'cut', abort: 'aborted' },
  anthropic: {
    ...{ end_turn: 'complete', stop_sequence: 'complete', tool_use: 'complete', max_tokens: 'cut' },
    ...{ pause_turn: 'cut', refusal: 'cut', model_context_window_exceeded: 'cut' },
  },
  gemini: {
    ...{ STOP: 'complete', MAX_TOKENS: 'cut', SAFETY: 'cut', RECITATION: 'cut', BLOCKLIST: 'cut', SPII: 'cut' },
    ...{ PROHIBITED_CONTENT: 'cut', MALFORMED_FUNCTION_CALL: 'cut', OTHER: 'unclear' },
  },
  inspect: {
    ...{ stop: 'complete', tool_calls: 'complete', max_tokens: 'cut', model_length: 'cut', content_filter: 'cut' },
    ...{ unknown: 'unclear' },
  },
  otel: { stop: 'complete', tool_call: 'complete', length: 'cut', content_filter: 'cut', error: 'aborted' },
  verifiers: { stop: 'complete', tool_calls: 'complete', length: 'cut' },
};

describe('the taxonomy knows', () => {
  it('no more of an exception that left a block than its class says', () => {
    const open = ['TimeoutError', 'SystemExit', 'ValueError', 'ConnectionError', 'GeneratorExit', 'MemoryError'];
    expect(open.map((raw) => taxonomy.codesOf('python', raw))).toEqual(open.map(() => []));
  });

  it.each(UNION)('%s of %s', (code, system, raws) => {
    expect(raws.map((raw) => [raw, taxonomy.codesOf(system, raw)])).toEqual(raws.map((raw) => [raw, [code]]));
  });

  it.each(Object.entries(ENGINES))('what %s says of a call', (engine, words) => {
    const known = taxonomy.engines.get(engine);
    expect(Object.keys(words).map((word) => [word, known?.get(word)])).toEqual(Object.entries(words));
  });

  it('codes as words of a loop of one’s own, but for what the pipeline alone can say', () => {
    const own = ['max_turns', 'wall_clock', 'output_tokens', 'gave_up', 'env_crash', 'tool_timeout', 'rate_limited'];
    expect(own.map((code) => taxonomy.codesOf('rollstream', code))).toEqual(own.map((code) => [code]));
    const pipelines = ['superseded', 'group_closed', 'missing_step', 'termination_conflict', 'verifier_error'];
    expect(pipelines.map((code) => taxonomy.codesOf('rollstream', code))).toEqual(pipelines.map(() => []));
  });

  it('no word of an engine that another engine uses for something else', () => {
    for (const words of taxonomy.engines.values())
      for (const [word, meaning] of words)
        expect([word, taxonomy.finishReasons.get(word) ?? 'unclear']).toEqual([word, meaning]);
  });

  it('nothing of a value that nobody has written down: neither the nearest, nor another system’s', () => {
    for (const [system, raw] of [
      ['strands-env', 'task_completed'],
      ['strands-env', 'TASK_COMPLETE'],
      ['strands-env', ' task_complete'],
      ['strands-env', ''],
      ['strands-env', 'env_done'],
      ['harbor', 'NotAgentTimeoutErrorAtAll'],
      ['harbor', 'MyAgentTimeoutError'],
      ['a loop of one’s own', 'task_complete'],
    ] as const)
      expect(taxonomy.codesOf(system, raw)).toEqual([]);
  });
});

describe('the default policy', () => {
  it('has a rule for each code, or for its category', () => {
    const policy = readPolicy(yaml('processors/decide/policies/default.yaml'), 'id');
    if (policy.kind === 'refused') throw new Error(JSON.stringify(policy.problems));
    const { codes, categories } = policy.value;
    const without = [...taxonomy.categories].filter(([code, name]) => !codes.has(code) && !categories.has(name));
    expect(without).toEqual([]);
  });
});
