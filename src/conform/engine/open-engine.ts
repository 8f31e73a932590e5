import { RollstreamError } from '../../errors.ts';
import type { Engine, EngineConfig } from './engine-config.ts';

/** Starts a scripted engine: real token ids of a tokenizer, in SGLang's and OpenAI's shapes, and misbehaviour on cue. */
export async function openEngine(_config: EngineConfig): Promise<Engine> {
  throw new RollstreamError('RS_INTERNAL', 'the scripted engine does not answer yet');
}
