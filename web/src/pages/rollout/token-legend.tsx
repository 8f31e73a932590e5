import { SHADES } from './token-looks.ts';

/** What shades, lines and corners mean. */
export function TokenLegend() {
  return (
    <details class="legend" open>
      <summary>legend</summary>
      <p>
        {SHADES.map(({ words }, shade) => (
          <span key={words} class={`token sampled shade-${shade}`}>
            {words}
          </span>
        ))}
        <span class="faint">probability of a sampled token, from its logprob</span>
      </p>
      <p>
        <span class="token given">given</span> broken line below: not sampled
        <span class="token sampled">sampled</span> line below: the policy sampled it
        <span class="token sampled in-loss">in the loss</span> line above too: the trainer may learn from it
        <span class="token sampled pinned fail">finding</span> corner: a finding is pinned here
      </p>
    </details>
  );
}
