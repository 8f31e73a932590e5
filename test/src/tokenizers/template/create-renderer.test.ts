import { afterEach, describe, expect, it } from 'vitest';
import {
  createRenderer,
  type Renderer,
  type RendererLimits,
} from '../../../../src/tokenizers/template/create-renderer.ts';

const opened: Renderer[] = [];
afterEach(async () => {
  for (const renderer of opened.splice(0)) await renderer.close();
});

function rendererOf(
  template: string,
  limits: Partial<RendererLimits> = {},
  config: Record<string, unknown> = {},
): Renderer {
  const renderer = createRenderer(template, config, limits);
  opened.push(renderer);
  return renderer;
}

describe('a template', () => {
  it('gets messages, tools, the generation prompt, recorded variables and the texts of its tokens', async () => {
    const template =
      '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{{ tools | tojson }}' +
      '{% if add_generation_prompt %}>{{ eos_token }}{{ date_string }}{% endif %}';
    const config = { bos_token: '<s>', eos_token: { content: '</s>' } };
    const { render } = rendererOf(template, {}, config);
    const rendered = await render({
      messages: [{ role: 'user', content: 'hé 北京' }],
      tools: [{ a: 1 }],
      addGenerationPrompt: true,
      vars: { date_string: '26 Jul 2024' },
    });
    expect(rendered).toEqual({ text: '<s>[user]hé 北京[{"a": 1}]></s>26 Jul 2024', askedForToday: false });
  });

  it('without tools finds none defined', async () => {
    const { render } = rendererOf('{{ tools is defined }}');
    expect((await render({ messages: [], tools: [] })).text).toBe('false');
  });

  it('that asks for today is told from one that does not (case 38)', async () => {
    const template =
      '{% if not date_string is defined %}{% set date_string = strftime_now("%d %b %Y") %}{% endif %}{{ date_string }}';
    const { render } = rendererOf(template);
    expect((await render({ messages: [] })).askedForToday).toBe(true);
    expect(await render({ messages: [], vars: { date_string: '26 Jul 2024' } })).toEqual({
      ...{ text: '26 Jul 2024', askedForToday: false },
    });
  });
});

describe('a template that is hostile', () => {
  it('and does not end is ended, and the next is rendered all the same', async () => {
    const { render } = rendererOf('{% if messages %}{% for i in range(100000000000) %}{% endfor %}{% endif %}done', {
      timeMs: 300,
    });
    const endless = render({ messages: [{}] });
    const next = render({ messages: [] });
    await expect(endless).rejects.toMatchObject({
      code: 'RS_TEMPLATE_LIMIT',
      message: expect.stringContaining('300 ms'),
    });
    expect((await next).text).toBe('done');
  });

  it('and takes all memory is ended', async () => {
    const template =
      '{% set ns = namespace(l=[]) %}{% for i in range(9999) %}{% set ns.l = ns.l + [range(9999)] %}{% endfor %}';
    const { render } = rendererOf(template, { memoryMb: 32, timeMs: 60_000 });
    await expect(render({ messages: [] })).rejects.toMatchObject({ code: 'RS_TEMPLATE_LIMIT' });
  });

  it.each([
    ['throws', '{{ raise_exception("roles must alternate") }}', 'roles must alternate'],
    ['calls what is not there', '{{ open("/etc/passwd") }}', 'not a function'],
    ['is cut off', '{% for m in messages', 'cannot render'],
    [
      'doubles a text until it has no room',
      '{% set ns = namespace(s="abcdefgh") %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}',
      'string length',
    ],
  ])('and %s is an error that says so', async (_, template, says) => {
    const { render } = rendererOf(template);
    await expect(render({ messages: [] })).rejects.toMatchObject({
      code: 'RS_TEMPLATE_FAILED',
      message: expect.stringContaining(says),
    });
  });

  it('and writes more than a prompt may be is refused', async () => {
    const { render } = rendererOf('{{ messages[0] }}{{ messages[0] }}', { timeMs: 60_000 });
    await expect(render({ messages: ['x'.repeat(40_000_000)] })).rejects.toMatchObject({
      code: 'RS_TEMPLATE_FAILED',
      message: expect.stringContaining('writes more than'),
    });
  });

  it('and nests calls beyond the stack does not end the process', async () => {
    const { render } = rendererOf('{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}');
    await expect(render({ messages: [] })).rejects.toMatchObject({ code: expect.stringMatching(/^RS_TEMPLATE_/) });
  });
});
