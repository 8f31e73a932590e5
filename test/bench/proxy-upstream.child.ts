import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The barest engine in vLLM's shape: an answer of `max_tokens` after `hold_ms`, which says how long it was held, or a stream with a chunk
 * every `gap_ms`, which says when it was written by a clock that all processes of the machine share.
 */
const LOGPROB = { token: ' word', logprob: -0.5, bytes: [32, 119, 111, 114, 100], top_logprobs: [] };

function numberIn(body: string, field: string): number {
  return Number(new RegExp(`"${field}":(\\d+)`).exec(body)?.[1] ?? 0);
}

function whole(tokens: number, isAsked: boolean, heldFrom: number): string {
  const ids = Array.from({ length: tokens }, (_, at) => 1000 + at);
  const choice = {
    ...{ index: 0, message: { role: 'assistant', content: ' word'.repeat(tokens) }, finish_reason: 'stop' },
    logprobs: isAsked ? { content: ids.map(() => LOGPROB) } : null,
    token_ids: isAsked ? ids : null,
  };
  const heldUs = Math.round(1000 * (performance.now() - heldFrom));
  return JSON.stringify({ id: 'c', choices: [choice], prompt_token_ids: isAsked ? ids : null, held_us: heldUs });
}

function chunk(isAsked: boolean): string {
  const told = { logprobs: isAsked ? { content: [LOGPROB] } : null, token_ids: isAsked ? [1000] : null };
  const choice = { index: 0, delta: { content: ' word' }, finish_reason: null, ...told };
  return `data: ${JSON.stringify({ id: 'c', at: String(process.hrtime.bigint()), choices: [choice] })}\n\n`;
}

const server = http.createServer(async (req, res) => {
  let body = '';
  for await (const piece of req.setEncoding('utf8')) body += piece;
  const isAsked = body.includes('"return_token_ids":true');
  const tokens = numberIn(body, 'max_tokens');
  if (!body.includes('"stream":true')) {
    const heldFrom = performance.now();
    await sleep(numberIn(body, 'hold_ms'));
    const text = whole(tokens, isAsked, heldFrom);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
    return;
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const timer = setInterval(
    () => {
      if (sent++ < tokens) res.write(chunk(isAsked));
      else {
        clearInterval(timer);
        res.end('data: [DONE]\n\n');
      }
    },
    numberIn(body, 'gap_ms'),
  );
  res.on('close', () => clearInterval(timer));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.stderr.write(`serving at http://127.0.0.1:${address?.port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
