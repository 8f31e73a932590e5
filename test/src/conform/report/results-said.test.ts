import { describe, expect, it } from 'vitest';
import { resultsSaid } from '../../../../src/conform/report/results-said.ts';

const saidAs = (role: string, ...texts: string[]) => {
  const { results, isAllRead } = resultsSaid(texts.map((text) => ({ role, text })));
  return [results, isAllRead];
};
const RAN = 'executed search {"query": "x"}';

describe('a result is told by what is said', () => {
  it('in the role of a user as in any other', () => {
    for (const role of ['user', 'tool', 'system', 'developer', 'function']) {
      expect(saidAs(role, RAN)).toEqual([[RAN], true]);
      expect(saidAs(role, `<tool_response>\n${RAN}\n</tool_response>`)).toEqual([[RAN], true]);
      expect(saidAs(role, `<tool_response>\n${RAN}`)).toEqual([[RAN], true]);
      expect(saidAs(role, `Observation: ${RAN}`)).toEqual([[RAN], true]);
    }
  });

  it('each of several, in one message or in several', () => {
    expect(saidAs('user', `Result 1: ${RAN}\nResult 2: ${RAN}`)).toEqual([[RAN, RAN], true]);
    expect(saidAs('user', RAN, RAN)).toEqual([[RAN, RAN], true]);
    expect(saidAs('user', 'executed search {\n  "query": "a {b}"\n}')).toEqual([
      ['executed search {\n  "query": "a {b}"\n}'],
      true,
    ]);
  });

  it('where it is called one', () => {
    expect(saidAs('user', 'Tool result: there are 12')).toEqual([['there are 12'], true]);
    expect(saidAs('user', 'Observation: 12\nObservation: 13')[1]).toBe(false);
  });

  it('and what is said otherwise may be one, or not', () => {
    expect(saidAs('user', 'there are 12')).toEqual([[], false]);
    expect(saidAs('user', RAN, 'there are 12')).toEqual([[RAN], false]);
    expect(saidAs('user', "executed search {'query': 'x'}")).toEqual([[], false]);
    expect(saidAs('tool', 'there are 12')).toEqual([['there are 12'], true]);
    expect(saidAs('user', ' \n')).toEqual([[], true]);
    expect(saidAs('user')).toEqual([[], true]);
  });
});
