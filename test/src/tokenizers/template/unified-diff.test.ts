import { expect, it } from 'vitest';
import { unifiedDiff } from '../../../../src/tokenizers/template/unified-diff.ts';

it('a patch shows three lines around each change, and one place for changes that are near', () => {
  const before = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn';
  const after = 'a\nb\nc\nD\nE\nf\ng\nh\ni\nj\nk\nl\nm\nN';
  expect(unifiedDiff('t', before, after)).toBe(
    [
      ...['--- a/t', '+++ b/t', '@@ -1,8 +1,8 @@', ' a', ' b', ' c', '-d', '-e', '+D', '+E', ' f', ' g', ' h'],
      ...['@@ -11,4 +11,4 @@', ' k', ' l', ' m', '-n', '+N', ''],
    ].join('\n'),
  );
});

it('equal texts have no patch', () => {
  expect(unifiedDiff('t', 'a\nb', 'a\nb')).toBe('');
});
