/** This dispatcher may not answer any more: whoever runs it drops it. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}
