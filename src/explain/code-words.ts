import { CLASS_WORDS } from '../audit/class-words.ts';

/** What a code of the taxonomy says of a rollout, as the end of a sentence. One that is not here is named as it is. */
export function codeWords(code: string): string {
  return WORDS[code] ?? `it ended with ${code}`;
}

/** What an audit found. */
export function findingWords(name: string): string {
  return CLASS_WORDS[name]?.meaning ?? `an audit found ${name}`;
}

const WORDS: Readonly<Record<string, string>> = {
  task_complete: 'it finished its task',
  submitted: 'it submitted its answer',
  agent_stop: 'the agent ended the conversation',
  user_stop: 'the user ended the conversation',
  format_errors: 'the policy kept writing what could not be read as a call or an answer',
  stuck_loop: 'the policy kept repeating itself',
  gave_up: 'the policy gave up',
  rejected: 'the policy rejected the task',
  empty_action: 'the policy answered nothing',
  refusal: 'the answer was refused or filtered',
  agent_error: "the agent's own program failed",
  harness_error: 'the loop around the policy failed',
  recursion_depth: 'the loop around the policy recursed too deep',
  corrupt_record: 'its token record cannot be put together as it was sent',
  output_tokens: 'it ran out of output tokens',
  context_overflow: 'its context was full',
  max_turns: 'it used up its turns',
  max_tool_calls: 'it used up its tool calls',
  wall_clock: 'it ran out of time',
  total_tokens: 'it used up its tokens',
  cost: 'it used up its money',
  masked_by_source: 'its producer asked to keep it out of the loss',
  limit_unspecified: 'it hit a limit that its source does not name',
  env_setup: 'the sandbox did not start',
  env_crash: 'the sandbox crashed',
  out_of_memory: 'memory ran out',
  tool_timeout: 'a tool took too long',
  inference_abort: 'the engine gave up its generation',
  llm_error: 'the model could not be reached, or failed',
  rate_limited: 'the model was rate limited',
  auth_quota: 'a key or a quota was refused',
  worker_lost: 'its events stopped and no end ever came',
  missing_step: 'some of its events never arrived',
  verifier_timeout: 'the verifier ran out of time',
  reward_missing: 'no verifier gave a score',
  verifier_error: 'the verifier failed',
  operator: 'somebody stopped it',
  superseded: 'a newer attempt took its place',
  group_closed: 'its group had closed',
  skipped: 'it was skipped',
  termination_conflict: 'its facts contradict each other',
  unknown: 'nobody knows why it ended',
};
