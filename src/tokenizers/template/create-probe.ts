import { RollstreamError } from '../../errors.ts';
import type { Renderer } from './create-renderer.ts';
import { PROBE_TOOLS, type ProbeMessage } from './probe-conversations.ts';

/** Renders what is probed. */
export interface Probe {
  /** Throws where the template does. */
  readonly must: (messages: readonly ProbeMessage[], more?: ProbeOptions) => Promise<string>;
  /** null: the template cannot render it. */
  readonly may: (messages: readonly ProbeMessage[], more?: ProbeOptions) => Promise<string | null>;
}

interface ProbeOptions {
  readonly vars?: Readonly<Record<string, unknown>>;
  readonly prompt?: boolean;
  readonly tools?: boolean;
}

export function createProbe(renderer: Renderer): Probe {
  const must: Probe['must'] = async (messages, { vars = {}, prompt = false, tools = false } = {}) =>
    (await renderer.render({ messages, vars, addGenerationPrompt: prompt, tools: tools ? PROBE_TOOLS : null })).text;
  const may: Probe['may'] = async (messages, more) => {
    try {
      return await must(messages, more);
    } catch (error) {
      if (error instanceof RollstreamError && error.code === 'RS_TEMPLATE_FAILED') return null;
      throw error;
    }
  };
  return { must, may };
}
