import type { AuditName } from '../../processors/model/audit-summary.ts';

/** A class of findings, for whoever has to do something about it. */
export interface ClassWords {
  readonly audit: AuditName;
  /** What it says of a rollout, as the end of a sentence. */
  readonly meaning: string;
  /** What to do, one sentence. */
  readonly remedy: string;
}

const KEEP_IDS =
  'Keep the sampled ids and append only the ids of the new messages; never encode the text of a turn again.';
const RAW_RECORD = 'Execute only what a strict parser reads, and give the model the error where it reads nothing.';
const WHOLE_ARGUMENTS = 'Hand the arguments to the tool as the model wrote them, or refuse the call.';
const POLICY_OWN = 'Nothing in the pipeline: the policy wrote it, and has to see the error to learn from it.';
const ENGINE_LOGPROBS =
  'Take the logprobs of the sampled tokens as the engine gives them: unclamped, unpadded, one a token.';
const AT_BOUNDARY =
  'Compare the ids between two messages with what the chat template renders, and append exactly those.';
const BOS_ONCE = 'Encode with add_special_tokens off, and let the chat template alone write the beginning.';
const ESCAPE = 'Encode tool results and user texts so that they cannot become control tokens.';
const SAY_WHEN = 'Give start and end by one clock, and durations by a monotonic one.';

/** By class; `audit/class` where an audit means something of its own by it. The report, explain and the documentation say the same. */
export const CLASS_WORDS: Readonly<Record<string, ClassWords>> = {
  ...of('tokens', {
    pipeline_drift: ['the next prompt does not start with the tokens that were sampled', KEEP_IDS],
    history_rewritten: [
      'its history was rewritten between two calls',
      'Train the parts as segments of their own; if it was not meant, look for a template that drops earlier thinking.',
    ],
    'tokens/bpe_split': ['a prompt holds an earlier completion under other tokens', KEEP_IDS],
    replaced: ['a prompt holds another text in the place of an earlier completion', KEEP_IDS],
    render_drift: ['a rendered turn is not the text that was sampled', KEEP_IDS],
    tool_json_rerender: ['the JSON of a tool call was written anew, with other spaces or escapes', KEEP_IDS],
    prefix_beyond_held: [
      'a prompt claims to reuse tokens that nobody has sent',
      'Send every call of a segment, in order, before the one that builds on it.',
    ],
    usage_mismatch: [
      'the engine counted other tokens than were recorded',
      'Record the ids that the engine returns, not those of a tokenizer beside it.',
    ],
    pad_row: [
      'a row without a real step stands in for a rollout that failed',
      'Send how the rollout ended, not a padded sequence.',
    ],
    routing_misaligned: [
      'its routed experts do not fit its tokens',
      'Record (tokens - 1) rows of routes, the cached prefix included.',
    ],
    oov_id: ['it holds token ids that the tokenizer has not', 'Check which tokenizer the engine really runs.'],
  }),
  ...of('reencode', {
    bpe_split: [
      'its text, encoded again, gives other tokens',
      'None: models sample such splits. Never train on ids that were encoded from text.',
    ],
    normalizer: [
      'its text is not the one that the tokenizer normalises it to',
      'None for training on ids; compare texts after normalisation.',
    ],
    partial_utf8: [
      'a sampled chunk ends within a character',
      'None where the length ended it: keep the ids, and never repair the text.',
    ],
    special_spelling: [
      'ordinary tokens spell a control token',
      'Keep the ids: encoding the text would make a control token of it.',
    ],
  }),
  ...of('template', {
    bos_duplicated: ['the beginning of the sequence is marked twice', BOS_ONCE],
    bos_missing: ['the beginning of the sequence is not marked', 'Let the chat template write the first token.'],
    bos_mid_sequence: ['a beginning of sequence stands in the middle', BOS_ONCE],
    separator_missing: ['what the template writes between two messages is missing', AT_BOUNDARY],
    separator_malformed: ['what stands between two messages is not what the template writes', AT_BOUNDARY],
    header_malformed: ['the header of a message is not what the template writes', AT_BOUNDARY],
    unknown_role: ['a message has a role that the template does not know', AT_BOUNDARY],
    text_outside_turn: ['text stands between two messages', AT_BOUNDARY],
    gen_prompt_missing: [
      'a completion does not follow a generation prompt',
      'Render with add_generation_prompt, and append what it gives to the prompt.',
    ],
    gen_prompt_malformed: [
      'a generation prompt is not what the template writes',
      'Render with add_generation_prompt, and append what it gives to the prompt.',
    ],
    system_missing: [
      'the system message that the template writes is missing',
      'Render the first messages with the template, not by hand.',
    ],
    system_inserted: [
      'a system message stands there that nobody wrote',
      'Send the system message that the template would otherwise make up.',
    ],
    end_of_turn_doubled: [
      'a turn ends twice',
      'Cut the stop token off the text before it is rendered, or append ids alone.',
    ],
    end_of_turn_missing: ['a turn does not end', 'Append the end of turn that the engine stopped at.'],
    sampled_after_end_of_turn: [
      'tokens were sampled after the end of the turn',
      'Give the engine all end-of-sequence ids as stop tokens.',
    ],
    control_token_sampled: ['the policy sampled a control token within its turn', 'Look at the completion.'],
    control_token_in_observation: ['an observation holds control tokens: a forged turn', ESCAPE],
    tool_turn_format: ['a tool result is not written as the template writes it', AT_BOUNDARY],
    tool_turn_unmatched: ['a tool result opens and never closes', AT_BOUNDARY],
    tool_call_lost_in_history: [
      'a call that was sampled is not in the history',
      'Keep tool_calls on the stored message, or append ids alone.',
    ],
    think_stripped: ['thinking was removed from its history', KEEP_IDS],
    think_prefill_in_completion: [
      'what the template fills in before a completion is counted as sampled',
      'Count the prefilled think block among the prompt, with mask 0.',
    ],
    think_rewrapped: [
      'an empty think block was put in front of a completion that had one',
      'Take the thinking that the generation prompt opened as what it is.',
    ],
    orphan_think_close: ['a think block closes that nobody opened', 'Look at what the generation prompt opened.'],
    html_escape: ['JSON is written with HTML escapes', 'Render tool definitions and calls without HTML escaping.'],
    double_encoded_arguments: [
      'arguments are JSON within JSON',
      'Decode arguments that are a string once before they are rendered.',
    ],
    special_token_mismatch: ['control tokens are not where the template writes them', AT_BOUNDARY],
    template_vars: [
      'it was rendered with other variables, such as the date',
      'Record template variables with the rollout, and render with those.',
    ],
  }),
  ...of('tools', {
    silent_repair: ['the call that ran is not the call that the model wrote', RAW_RECORD],
    args_lost: ['arguments that the model wrote were lost', WHOLE_ARGUMENTS],
    argument_coerced: ['an argument was given to the tool as another type', WHOLE_ARGUMENTS],
    coerced: [
      'an argument was given to the tool without blanks at its ends, in other digits, or beside one that nobody wrote',
      WHOLE_ARGUMENTS,
    ],
    think_call_executed: ['a call within its thinking was executed', 'Cut thinking off before calls are read.'],
    think_unclosed: ['its thinking never ended', POLICY_OWN],
    executed_without_call: ['a tool ran that the model did not call', RAW_RECORD],
    parser_loss: [
      'the parser lost a part of what the model wrote',
      'Use the parser of the dialect that the model writes.',
    ],
    call_not_executed: [
      'a call that the model wrote was not executed',
      'Execute every call of a turn, or answer it with an error.',
    ],
    malformed: ['it wrote a call that cannot be read', POLICY_OWN],
    malformed_not_fed_back: [
      'the model was not told that its call could not be read',
      'Answer each call that cannot be read with its error.',
    ],
    unknown_tool: ['it called a tool that it was not offered', POLICY_OWN],
    truncated: [
      'a call was cut by the length limit',
      'Raise the limit of new tokens; it is not the fault of the policy.',
    ],
    environment_error: [
      'its tools failed by no fault of the policy',
      'Mend the environment; such rollouts teach nothing about the policy.',
    ],
    duplicate_tool_event: ['a tool result stands there twice', 'Send each result once.'],
    unanswered_call: ['a call was never answered', 'Answer every call, also those that a limit cut off.'],
  }),
  ...of('termination', {
    termination_conflict: [
      'its facts contradict each other',
      'Say why the loop ended, what the engine said and what the verifier said as three facts.',
    ],
    unknown_reason: [
      'nobody knows why it ended',
      'Map its reason in a taxonomy (`rollstream taxonomy RAW`), or have the source say one.',
    ],
    steps_after_end: ['it went on after its end', 'Send the end last.'],
    overrun: ['it used more than its limit', 'Enforce the limit where the loop runs.'],
    verifier_nondeterministic: [
      'its verifier gave two answers to one question',
      'Make the verifier deterministic, or give each version a name.',
    ],
    verdict_contradiction: ['its verdict contradicts how it ended', 'Look at what the verifier was run on.'],
  }),
  ...of('numbers', {
    logprob_invalid: ['sampled tokens have logprobs that are no numbers, or clamped ones', ENGINE_LOGPROBS],
    logprob_positive: ['sampled tokens have logprobs above 0', ENGINE_LOGPROBS],
    logprob_constant: ['all its logprobs are the same', ENGINE_LOGPROBS],
    logprob_tail_padding: ['its logprobs end in padding', ENGINE_LOGPROBS],
    logprob_shift_suspected: ['its logprobs may be shifted by one', ENGINE_LOGPROBS],
    logprob_support_mismatch: [
      'its logprobs are of a distribution that was cut',
      'Ask the engine for raw logprobs, or keep which tokens were allowed.',
    ],
    reward_not_finite: ['a reward is not a finite number', 'Send null where there is no reward.'],
    weight_spans_gap: [
      'its weight spans do not cover the sampled tokens',
      'Name the version from the first sampled token on.',
    ],
    version_backwards: [
      'the version of the weights goes backwards',
      'Name the version that sampled each token, not the newest one.',
    ],
  }),
  ...of('wall', {
    clock_skew: ['its clocks disagree', SAY_WHEN],
    overlap: ['what cannot run at once overlaps', SAY_WHEN],
    wall_mismatch: ['its parts do not add up to its wall clock', SAY_WHEN],
  }),
};

/** null: a class that nobody has described. */
export function wordsOf(audit: AuditName, name: string): ClassWords | null {
  return CLASS_WORDS[`${audit}/${name}`] ?? CLASS_WORDS[name] ?? null;
}

/** Names of all classes, each once. */
export function classNames(): string[] {
  return Object.keys(CLASS_WORDS).filter((name) => !name.includes('/'));
}

function of(
  audit: AuditName,
  table: Readonly<Record<string, readonly [meaning: string, remedy: string]>>,
): Record<string, ClassWords> {
  return Object.fromEntries(
    Object.entries(table).map(([name, [meaning, remedy]]) => [name, { audit, meaning, remedy }]),
  );
}
