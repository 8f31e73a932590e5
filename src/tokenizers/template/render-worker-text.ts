/**
 * What the render thread runs. A text and not a file: the same whether this was compiled or not, and it needs nothing but the
 * template engine, whose path it is given. `Date` is watched: a template that asks for today renders another prompt tomorrow.
 */
export const RENDER_WORKER_TEXT = `
const { parentPort, workerData } = require('node:worker_threads');
const { Template } = require(workerData.engine);
const RealDate = Date;
let askedForToday = false;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...given);
    if (given.length === 0) askedForToday = true;
  }
};
let template = null;
parentPort.on('message', ({ context }) => {
  askedForToday = false;
  let answer;
  try {
    template ??= new Template(workerData.template);
    const text = template.render(context);
    answer = text.length > workerData.mostCharacters
      ? { error: 'it writes more than ' + workerData.mostCharacters + ' characters' }
      : { text, askedForToday };
  } catch (error) {
    answer = { error: String(error && error.message !== undefined ? error.message : error).slice(0, 400) };
  }
  parentPort.postMessage(answer);
});
`;
