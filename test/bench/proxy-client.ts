import http from 'node:http';

const CHAT = '/v1/chat/completions';
/** About what an agent's history of a few turns weighs. */
const MESSAGES = [{ role: 'user', content: 'word '.repeat(2_000) }];

/** `gapMs`: between the chunks of a stream; `holdMs`: until an answer that is whole. */
export type Asked = { readonly tokens: number } & ({ readonly gapMs: number } | { readonly holdMs: number });

/** How long each of so many calls took, one after the other, in µs, without the time for which the engine held its answer. */
export async function callsTook(url: string, calls: number, asked: Asked): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true });
  const took: number[] = [];
  for (let call = 0; call < calls; call++) {
    let said = '';
    const began = performance.now();
    await ask(url, agent, asked, (text) => {
      said += text;
    });
    took.push(1000 * (performance.now() - began) - Number(/"held_us":(\d+)/.exec(said)?.[1]));
  }
  agent.destroy();
  return took;
}

/** How long each chunk of so many streams at once was under way, in µs. */
export async function chunksTook(
  url: string,
  streams: number,
  asked: Asked & { readonly gapMs: number },
): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true });
  const took: number[] = [];
  const read = (text: string): void => {
    const now = process.hrtime.bigint();
    for (const [, at] of text.matchAll(/"at":"(\d+)"/g)) took.push(Number(now - BigInt(at ?? 0)) / 1000);
  };
  await Promise.all(
    Array.from({ length: streams }, async (_, at) => {
      // Not all in the same millisecond: engines write by step, but not clients.
      await new Promise((resolve) => setTimeout(resolve, (asked.gapMs * at) / streams));
      await ask(url, agent, asked, read);
    }),
  );
  agent.destroy();
  return took;
}

let asks = 0;

function ask(url: string, agent: http.Agent, asked: Asked, read: (text: string) => void): Promise<void> {
  const pace = 'gapMs' in asked ? { stream: true, gap_ms: asked.gapMs } : { hold_ms: asked.holdMs };
  const body = JSON.stringify({ messages: MESSAGES, max_tokens: asked.tokens, ...pace });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-rollstream-rollout': `bench-${process.pid}-${asks++}`,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${CHAT}`, { method: 'POST', agent, headers }, (res) => {
      res.on('data', (chunk: Buffer) => read(chunk.toString('latin1')));
      res.on('end', resolve);
      res.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}
