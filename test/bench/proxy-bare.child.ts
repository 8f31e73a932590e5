import http from 'node:http';

/** What any proxy in Node costs: it passes on to the URL that it is given, and looks at nothing. */
const [, , upstream = ''] = process.argv;
const { hostname, port } = new URL(upstream);
const agent = new http.Agent({ keepAlive: true });

const server = http.createServer((req, res) => {
  const { method, url: path, headers } = req;
  const request = http.request({ agent, hostname, port, method, path, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.pipe(res);
  });
  req.pipe(request);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  const address = server.address();
  if (typeof address === 'object') process.stderr.write(`serving at http://127.0.0.1:${address?.port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
