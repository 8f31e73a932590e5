/** Documents as the writers of ATIF and Harbor lay them down, made for the tests: small, and with what goes wrong in real ones. */

export type Value = Record<string, unknown>;

export const ASKED = 'Write ok into /tmp/state. Reply in JSON.';

/** A reply as Terminus-2 asks for it. */
export function reply(keystrokes: readonly string[], over: Value = {}): string {
  const commands = keystrokes.map((keys) => ({ keystrokes: keys, duration: 0.5 }));
  return JSON.stringify({ analysis: 'a', plan: 'p', commands, ...over });
}

export function agentStep(step_id: number, message: unknown, shown: string | null, over: Value = {}): Value {
  const observation = shown === null ? undefined : { results: [{ content: shown }] };
  return { step_id, source: 'agent', message, observation, ...over };
}

export function userStep(step_id: number, message: unknown = ASKED, over: Value = {}): Value {
  return { step_id, source: 'user', message, ...over };
}

export function trajectory(steps: readonly Value[], over: Value = {}): Value {
  return {
    schema_version: 'ATIF-v1.7',
    session_id: 'session-1',
    agent: { name: 'terminus-2', version: '2.0.0', model_name: 'openai/m', extra: { parser: 'json' } },
    steps,
    final_metrics: { total_prompt_tokens: 30, total_completion_tokens: 12 },
    ...over,
  };
}

export const CANNOT_READ =
  'Previous response had parsing errors:\nERROR: Missing required fields: analysis, plan\n\nPlease fix these issues.';
export const MENDED =
  'Previous response had warnings:\nWARNINGS: - AUTO-CORRECTED: Fixed incomplete JSON by adding missing closing brace - please fix this in future responses\n\n$ ls\n';

/** The first reply lacks two fields and has text around it: the loop says so, and goes on. Replies that it read are in parts. */
export const malformed = trajectory([
  userStep(1),
  agentStep(2, 'First:\n{"commands": [{"keystrokes": "ls\\n", "duration": 0.1}]}\nDone.', CANNOT_READ, {
    reasoning_content: 'a file is wanted',
    metrics: { prompt_tokens: 11, completion_tokens: 7, cost_usd: 0.25 },
  }),
  agentStep(3, 'Analysis: a\nPlan: p', '$ ls\n', {
    tool_calls: [
      { tool_call_id: 'call_1_1', function_name: 'bash_command', arguments: { keystrokes: 'ls\n', duration: 0.1 } },
    ],
  }),
]);

/** Replies are kept whole; the context is summed up by a sub-agent and goes on in another document. */
export const base = trajectory(
  [
    userStep(1),
    agentStep(2, reply(['ls\n']), '$ ls\n', { metrics: { prompt_tokens: 10, completion_tokens: 5 } }),
    {
      step_id: 3,
      source: 'system',
      message: 'summed up',
      observation: {
        results: [
          {
            subagent_trajectory_ref: [
              { session_id: 'session-1-summary', trajectory_path: 'trajectory.summarization-1-summary.json' },
            ],
          },
        ],
      },
    },
  ],
  { continued_trajectory_ref: 'trajectory.cont-1.json' },
);

export const summary = trajectory(
  [
    userStep(1, ASKED, { is_copied_context: true }),
    agentStep(2, reply(['ls\n']), '$ ls\n', { is_copied_context: true, extra: { note: 'metrics stand elsewhere' } }),
    userStep(3, 'Sum up.'),
    agentStep(4, 'ls was run.', null, { metrics: { prompt_tokens: 20, completion_tokens: 4 } }),
  ],
  {
    session_id: 'session-1-summary',
    agent: { name: 'terminus-2-summarization-summary', version: '2.0.0', extra: { parent_session_id: 'session-1' } },
  },
);

export const continuation = trajectory(
  [
    userStep(1, ASKED, { is_copied_context: true }),
    agentStep(2, 'Which files are there?', null, { is_copied_context: true }),
    userStep(3, 'Answers.'),
    agentStep(4, reply(['echo ok > /tmp/state\n'], { task_complete: true }), 'Are you sure?'),
    agentStep(5, reply([], { task_complete: true }), ''),
  ],
  { agent: { name: 'terminus-2', version: '2.0.0', extra: { parser: 'json', continuation_index: 1 } } },
);

/** Two calls of an agent and one of its sub-agent, all with their ids: the second prompt goes on from the first completion. */
export const withTokens = trajectory(
  [
    userStep(1, [{ type: 'text', text: ASKED }], { timestamp: '2026-03-01T10:00:00+00:00' }),
    agentStep(2, 'I ask another.', null, {
      timestamp: '2026-03-01T10:00:01.5Z',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'delegate', arguments: { to: 'helper' } }],
      observation: {
        results: [
          { source_call_id: 'c1', content: 'it said 4', subagent_trajectory_ref: [{ trajectory_id: 'sub-1' }] },
          { source_call_id: 'gone', content: [{ type: 'text', text: 'nobody asked' }] },
        ],
      },
      metrics: {
        prompt_tokens: 3,
        completion_tokens: 2,
        prompt_token_ids: [1, 2, 3],
        completion_token_ids: [4, 5],
        logprobs: [-0.5, -0.25],
      },
    }),
    agentStep(3, 'It is 4.', null, {
      timestamp: '2026-03-01T10:00:03',
      extra: { stop_reason: 'stop' },
      metrics: {
        prompt_token_ids: [1, 2, 3, 4, 5, 6],
        completion_token_ids: [7, 8],
        logprobs: [-1, null],
        extra: { ttft: 0.1 },
      },
    }),
  ],
  {
    trajectory_id: 'main-1',
    agent: {
      name: 'other-agent',
      version: '1',
      tool_definitions: [{ type: 'function', function: { name: 'delegate' } }],
    },
    notes: 'by hand',
    subagent_trajectories: [
      {
        schema_version: 'ATIF-v1.7',
        trajectory_id: 'sub-1',
        agent: { name: 'helper', version: '1' },
        steps: [
          userStep(1, '2 + 2?'),
          agentStep(2, '4', null, {
            metrics: { prompt_token_ids: [9, 10], completion_token_ids: [11], logprobs: [-0.125] },
          }),
        ],
      },
    ],
  },
);

/** A trial of Harbor: its agent timed out, and its verifier was content all the same. */
export const trial: Value = {
  id: '6d0c0d3e-0000-4000-8000-000000000001',
  task_name: 'state-file',
  trial_name: 'state-file__abc',
  trial_uri: 'file:///jobs/job-7/state-file__abc',
  task_id: { path: 'tasks/state-file' },
  source: 'state-tasks',
  task_checksum: 'c0ffee',
  config: { agent: { name: 'terminus-2' } },
  agent_info: { name: 'terminus-2', version: '2.0.0' },
  agent_result: { n_input_tokens: 30, n_output_tokens: 12, rollout_details: null, metadata: { n_episodes: 3 } },
  verifier_result: { rewards: { reward: 1.0, style: 0.5 } },
  exception_info: {
    exception_type: 'AgentTimeoutError',
    exception_message: 'Agent execution timed out after 60.0 seconds',
    exception_traceback: 'Traceback',
    occurred_at: '2026-03-01T10:02:00.000000',
  },
  started_at: '2026-03-01T10:00:00.000000',
  finished_at: '2026-03-01T10:03:00.000000',
  environment_setup: { started_at: '2026-03-01T10:00:00.000000', finished_at: '2026-03-01T10:00:30.000000' },
  agent_setup: { started_at: '2026-03-01T10:00:30.000000', finished_at: '2026-03-01T10:01:00.000000' },
  agent_execution: { started_at: '2026-03-01T10:01:00.000000', finished_at: '2026-03-01T10:02:00.000000' },
  verifier: { started_at: '2026-03-01T10:02:00.500000', finished_at: '2026-03-01T10:03:00.000000' },
};

/** A trial whose environment never came up: there is nothing of an agent. */
export const failedTrial: Value = {
  ...trial,
  id: '6d0c0d3e-0000-4000-8000-000000000002',
  trial_name: 'state-file__def',
  agent_result: null,
  verifier_result: null,
  agent_setup: null,
  agent_execution: null,
  verifier: null,
  exception_info: {
    exception_type: 'EnvironmentStartTimeoutError',
    exception_message: 'no sandbox',
    exception_traceback: 'Traceback',
    occurred_at: '2026-03-01T10:00:30.000000',
  },
};

/** All of it as a folder. */
export const FOLDER: Readonly<Record<string, unknown>> = {
  'job/state-file__abc/result.json': trial,
  'job/state-file__abc/agent/trajectory.json': base,
  'job/state-file__abc/agent/trajectory.cont-1.json': continuation,
  'job/state-file__abc/agent/trajectory.summarization-1-summary.json': summary,
  'job/state-file__def/result.json': failedTrial,
  'collected/malformed.trajectory.json': malformed,
  'collected/tokens.trajectory.json': withTokens,
  'lines/runs.jsonl': [malformed, withTokens].map((document) => JSON.stringify(document)).join('\n'),
};
