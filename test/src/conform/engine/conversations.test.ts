import { expect, it } from 'vitest';
import { createConversations } from '../../../../src/conform/engine/conversations.ts';

it('counts how often a turn was asked', () => {
  const { attempt } = createConversations();
  expect([attempt('a', 0), attempt('a', 0), attempt('a', 1), attempt('b', 0)]).toEqual([0, 1, 0, 0]);
});

it('measures a prompt against the turn before that it continues, of several rollouts of one task', () => {
  const conversations = createConversations();
  expect(conversations.held('a', 0, [1, 2])).toBeNull();
  conversations.keep('a', 0, 7, [1, 2], [3, 4]);
  conversations.keep('a', 0, 8, [1, 2], [5, 6]);
  expect(conversations.held('a', 1, [1, 2, 3, 4, 9])).toEqual({ call: 7, length: 4, commonPrefix: 4 });
  expect(conversations.held('a', 1, [1, 2, 5, 9])).toEqual({ call: 8, length: 4, commonPrefix: 3 });
  expect(conversations.held('a', 2, [1, 2, 3, 4])).toBeNull();
  expect(conversations.held('b', 1, [1, 2])).toBeNull();
});
