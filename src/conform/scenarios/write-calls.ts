import type { CallForm } from '../call-form.ts';

export interface CallToWrite {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
}

/** Calls of one answer in a form; `index`: calls that the rollout had before, which Kimi's ids count. */
export function writeCalls(form: CallForm, calls: readonly CallToWrite[], index: number): string {
  if (form === 'kimi')
    return kimiSection(...calls.map(({ name, args }, at) => kimiCall(name, jsonObject(args), index + at)));
  return calls.map((call) => written(form, call)).join('\n');
}

function written(form: Exclude<CallForm, 'kimi'>, { name, args }: CallToWrite): string {
  const entries = Object.entries(args);
  if (form === 'hermes') return hermesCall(`{"name": "${name}", "arguments": ${jsonObject(args)}}`);
  if (form === 'qwen_xml') return qwenCall(name, ...entries.map(([key, value]) => qwenArgument(key, value)));
  return glmCall(name, ...entries.map(([key, value]) => glmArgument(key, value)));
}

/** `json` is what stands between the tags, sound or not. */
export function hermesCall(json: string): string {
  return `<tool_call>\n${json}\n</tool_call>`;
}

export function qwenCall(name: string, ...args: readonly string[]): string {
  return ['<tool_call>', `<function=${name}>`, ...args, '</function>', '</tool_call>'].join('\n');
}

export function qwenArgument(key: string, value: string): string {
  return `<parameter=${key}>\n${value}\n</parameter>`;
}

export function glmCall(name: string, ...args: readonly string[]): string {
  return [`<tool_call>${name}`, ...args, '</tool_call>'].join('\n');
}

export function glmArgument(key: string, value: string): string {
  return `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`;
}

export function kimiSection(...calls: readonly string[]): string {
  return `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
}

/** `json` is what stands in the place of the arguments, sound or not. */
export function kimiCall(name: string, json: string, index = 0): string {
  return `<|tool_call_begin|>functions.${name}:${index}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
}

function jsonObject(args: CallToWrite['args']): string {
  return `{${Object.entries(args)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')}}`;
}
