import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalText } from '../../../../../processors/audit/tools/compare/canonical-text.ts';
import { scanWholeJson } from '../../../../../processors/audit/tools/parse/scan-json.ts';

const faultOf = (text: string) => {
  const scan = scanWholeJson(text);
  return scan.kind === 'fault' ? [scan.fault, scan.at] : null;
};

it.each([
  ['{"command":"ls",}', 'trailing_comma', 15],
  ['[1,2,]', 'trailing_comma', 4],
  ['{"command":"mkdir -p test/{a,b"', 'unclosed_bracket', 31],
  ['{"path": "/tmp/x", "content": "abc', 'unclosed_string', 34],
  [String.raw`{"command":"printf \'hello\'"}`, 'bad_escape', 19],
  [String.raw`{"a":"\u12G4"}`, 'bad_escape', 6],
  ['{tool:"X",arguments:{id:"Y"}}', 'unquoted_key', 1],
  ['{{tool:"X",arguments:{id:"Y"}}}', 'unquoted_key', 1],
  ['[<|">discord<|">]', 'not_json', 1],
  ['{"a":1}<|call|>', 'trailing_text', 7],
  ["{'a': 1}", 'single_quotes', 1],
  [`{"a": '1'}`, 'single_quotes', 6],
  ['{"content":"第一行\n第二行"}', 'control_char', 15],
  ['{"a":NaN}', 'nan', 5],
  ['{"a":-Infinity}', 'nan', 5],
  ['{"a":1,"b":2,"a":3}', 'duplicate_key', 13],
  ['{"a":1, // note\n"b":2}', 'comment', 8],
  ['{"a":1 /* x */}', 'comment', 7],
  ['{"a":True}', 'python_literal', 5],
  ['{"a":01}', 'bad_number', 5],
  ['{"a":1.}', 'bad_number', 5],
  ['{"a":1}\n{"b":2}', 'extra_data', 8],
  ['', 'unclosed_bracket', 0],
])('%s is named for what it is: %s (cases 53–63)', (text, fault, at) => {
  expect(faultOf(text)).toEqual([fault, at]);
});

it('keys that were read before a fault are seen, also one without its value', () => {
  const scan = scanWholeJson('{"a":1,"b":');
  expect(scan.kind === 'fault' && canonicalText(scan.seen ?? null)).toBe('{"a":1,"b":null}');
});

it('nesting 10,000 deep is a fault, not a stack overflow', () => {
  expect(faultOf('['.repeat(10_000))).toEqual(['too_deep', 1_000]);
  expect(faultOf('{"a":'.repeat(10_000))?.[0]).toBe('too_deep');
  expect(faultOf(`${'['.repeat(1_000)}${']'.repeat(1_000)}`)).toBeNull();
});

it('whatever JSON.stringify writes is read as the same value, lone surrogates and odd keys included', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(0, 2), (value, indent) => {
      const scan = scanWholeJson(JSON.stringify(value, null, indent));
      if (scan.kind === 'fault') throw new Error(`${scan.fault} at ${scan.at}`);
      // -0 and 0 are one number, as JSON.stringify has it.
      expect(JSON.parse(canonicalText(scan.value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it('what JSON.parse refuses is refused, and nothing else but keys that stand twice', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom('', ',', '}', '"', '\\', "'", ' ', '1', 'e'),
      (value, at, put) => {
        const text = JSON.stringify(value);
        const broken = text.slice(0, at % (text.length + 1)) + put + text.slice((at + 1) % (text.length + 1));
        const scan = scanWholeJson(broken);
        let accepted = true;
        try {
          JSON.parse(broken);
        } catch {
          accepted = false;
        }
        if (scan.kind === 'ok') expect(accepted).toBe(true);
        else if (accepted) expect(scan.fault).toBe('duplicate_key');
      },
    ),
    { numRuns: 500 },
  );
});
