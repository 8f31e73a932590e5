import type { Figure } from './bench.ts';
import type { Spread } from './spread.ts';

/** A figure a paragraph: value, yardstick, ratio, target. */
export function tableOf(figures: readonly Figure[]): string {
  return figures.map(textOf).join('');
}

function textOf({ name, value, unit, yardstick, ratio, target, notes }: Figure): string {
  const cells = [
    name.padEnd(40),
    `${spreadText(value)} ${unit}`.padEnd(48),
    yardstick === undefined ? '' : `${yardstick.name}: ${spreadText(yardstick.value)}`.padEnd(60),
    ratio === undefined ? '' : `ratio ${ratio.toFixed(2)}`.padEnd(12),
    target === undefined ? '' : `target ${target.text}: ${target.met ? 'met' : 'NOT MET'}`,
  ];
  const lines = [cells.join(' ').trimEnd(), ...(notes ?? []).map((note) => `  ${note}`)];
  return `${lines.join('\n')}\n`;
}

function spreadText({ median, min, max }: Spread): string {
  return min === max ? number(median) : `${number(median)} (${number(min)}–${number(max)})`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en');
}
