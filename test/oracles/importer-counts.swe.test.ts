import { expect, test } from 'vitest';
import { miniSweAgent } from '../../src/ingest/importers/mini-swe-agent.ts';
import { sweAgent } from '../../src/ingest/importers/swe-agent.ts';
import { findPython } from '../python-with.ts';
import { countedBy, countsOf } from './wire-counts.ts';

const python = (await findPython()) ?? 'python3';

const step = (action: string, observation: string, execution_time: number) => ({
  action,
  observation,
  response: `do ${action}`,
  thought: 'do',
  execution_time,
});
const own = { action: '', observation: 'diff', response: 'Exit due to context window', execution_time: 0 };
const run = (exit_status: string | null, trajectory: object[]) => ({ trajectory, history: [], info: { exit_status } });

test('SWE-agent: answers, what was run, and a loop that gave up', async () => {
  const lines = [
    run('submitted', [step('ls', 'a', 0.1), step('', '', 0), step('submit', 'diff', 0.2)]),
    run('submitted (exit_context)', [step('ls', '', 0.1), { ...own, thought: own.response }]),
    run(null, []),
    { attempts: [run('exit_format', [step('', '', 0)]), run('submitted', [step('submit', 'd', 1)])] },
  ];
  const counted = await countedBy(python, 'swe_counts.py', lines);
  expect(counted).toEqual({ rollouts: 5, model_calls: 6, tool_results: 4, rewards: [] });
  expect(await countsOf(sweAgent, lines)).toEqual(counted);
});

test('mini-swe-agent: answers, those that could not be read, and results of either role', async () => {
  const said = { role: 'assistant', content: 'a', extra: { actions: [{ command: 'ls' }] } };
  const shown = { role: 'user', content: 'x', extra: { returncode: 0, raw_output: 'x' } };
  const complaint = { role: 'user', content: 'bad', extra: { interrupt_type: 'FormatError', model_response: 'b' } };
  const tool = { role: 'tool', tool_call_id: 'c', content: 'x', extra: { returncode: 1 } };
  const document = (messages: object[]) => ({ messages, trajectory_format: 'mini-swe-agent-1.1', info: {} });
  const lines = [
    document([{ role: 'user', content: 'task' }, said, shown, complaint, said, tool, { role: 'exit', content: '' }]),
    document([
      { role: 'user', content: 'task' },
      { ...said, extra: undefined },
      { role: 'user', content: 'x' },
    ]),
  ];
  const counted = await countedBy(python, 'swe_counts.py', lines);
  expect(counted).toEqual({ rollouts: 2, model_calls: 4, tool_results: 2, rewards: [] });
  expect(await countsOf(miniSweAgent, lines)).toEqual(counted);
});
