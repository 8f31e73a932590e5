const KEYS: ReadonlyArray<readonly [string, string]> = [
  ['1 2 3 4', 'story, tokens, explain, diff'],
  ['← → ↑ ↓', 'the token before, after, above, below (in the token view)'],
  ['Home End', 'the first token, the last'],
  ['n p', 'the next finding, the one before'],
  ['[ ]', 'the turn before, the next turn'],
  ['g', 'go to a token by its index'],
  ['?', 'this list'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <section class="card key-help" aria-label="keys">
      <h2>keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        close
      </button>
    </section>
  );
}
