import type { Random } from '../../src/simulate/random.ts';

/** Sentences and lines of many kinds, in normal form C as most of what is written is. */
const LINES = [
  'The quick brown fox jumps over the lazy dog.',
  "Let's compute the area: 3.14159 × 12² ≈ 452.39 m².",
  'I will look at the first file, then at the second one.',
  'It returned 42 rows in 0.318 s; nothing else changed.',
  'international cooperation, uncharacteristically counterproductive',
  '北京的天气今天很好,适合出去散步。',
  '東京タワーは333メートルの高さがあります。',
  '서울은 대한민국의 수도입니다.',
  'Сегодня хорошая погода, не правда ли?',
  'مرحبا بالعالم، كيف حالك اليوم؟',
  'नमस्ते दुनिया, आप कैसे हैं?',
  'Crème brûlée, naïve façade, señor, Zürich, smörgåsbord',
  '🎉 done 👩‍💻 with 🇯🇵 and 🏳️‍🌈 flags',
  'const total = items.reduce((sum, { price }) => sum + price, 0);',
  'def area(r: float) -> float:\n    return 3.14159 * r ** 2',
  'for f in *.txt; do wc -l "$f"; done',
  '| name | value |\n|---|---|\n| a | 1 |\n| b | 22 |',
  '{"status": "ok", "items": [1, 2.5, null], "note": "naïve \\"quoted\\" text"}',
  'SELECT count() FROM steps WHERE run_id = 7 GROUP BY env_name;',
  '-rw-r--r-- 1 root root 4096 Jan 12 09:41 README.md',
  'x != y, and the word \'social\' in "quotes"',
  'ℵ₀ < 2^ℵ₀, ∀x ∈ ℝ: x² ≥ 0',
  '\tindented\twith\ttabs',
  'a  b   c    d',
];

const WORDS =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda omega 7 13 2048 0.5 foo_bar camelCase'.split(' ');

export function someText(random: Random, lines: number): string {
  const parts: string[] = [];
  for (let i = 0; i < lines; i++) parts.push(random.chance(0.3) ? someWords(random, 8) : random.pick(LINES));
  return parts
    .join(random.pick(['\n', ' ', '\n\n']))
    .normalize('NFC')
    .trim();
}

export function someWords(random: Random, count: number): string {
  const words: string[] = [];
  for (let i = 0; i < count; i++) words.push(random.pick(WORDS));
  return words.join(' ');
}

/** Arguments of a call: at least two, one of them a text, one a number. */
export function someArguments(random: Random): Record<string, unknown> {
  const args: Record<string, unknown> = { query: someText(random, 1), limit: random.whole(1, 500) };
  if (random.chance(0.4)) args.options = { deep: random.chance(0.5), tags: [someWords(random, 1), random.whole(0, 9)] };
  if (random.chance(0.3)) args.path = `/tmp/${someWords(random, 1)}.txt`;
  if (random.chance(0.05)) args.note = 'use <think> here';
  return args;
}
