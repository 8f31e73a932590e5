/** The token ids of a segment so far: a prompt repeats them, and only what is new travels. */
export class HeldTokens {
  #ids = new Uint32Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Tokens that the prompt has in common with what is held, from the first on. */
  commonPrefix(prompt: Uint32Array): number {
    const end = Math.min(prompt.length, this.#length);
    let at = 0;
    while (at < end && prompt[at] === this.#ids[at]) at++;
    return at;
  }

  /** What is held after a call: the prefix it reused, the rest of its prompt, its completion. */
  extend(prefix: number, delta: Uint32Array, completion: Uint32Array): void {
    // Never more than is held: a producer that claims more is told so by the pipeline.
    const kept = Math.min(prefix, this.#length);
    const length = kept + delta.length + completion.length;
    if (length > this.#ids.length) {
      const larger = new Uint32Array(Math.max(length, this.#ids.length * 2));
      larger.set(this.#ids.subarray(0, kept));
      this.#ids = larger;
    }
    this.#ids.set(delta, kept);
    this.#ids.set(completion, kept + delta.length);
    this.#length = length;
  }
}
