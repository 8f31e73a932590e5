import { count, percent } from '../../parts/format.ts';
import { plainText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import type { Books } from './books.ts';
import { type FlowLink, type FlowNode, layFlow } from './flow-layout.ts';

const WIDTH = 1000;
const NODE_PX = 12;
const COLUMN_X = [0, 330, 690];

/** Where attempts are: each place is a link to its rollouts. */
export function FlowPicture({ run, books }: { readonly run: string; readonly books: Books }) {
  const { nodes, links, height } = layFlow(books);
  return (
    <section class="scroll flow-scroll" tabIndex={0} aria-label="the flow of attempts">
      <svg class="flow" viewBox={`0 0 ${WIDTH} ${height + 4}`}>
        <title>Where the {count(books.started)} attempts that started are</title>
        {links.map((link) => (
          <path key={`${link.from.id} ${link.to.id}`} class={`flow-link flow-${link.to.kind}`} d={pathOf(link)} />
        ))}
        {nodes.map((node) => (
          <Place key={node.id} run={run} node={node} started={books.started} />
        ))}
      </svg>
    </section>
  );
}

function Place({ run, node, started }: { readonly run: string; readonly node: FlowNode; readonly started: number }) {
  const { id, title, kind, n, y, height } = node;
  const x = xOf(node);
  const share = id === 'started' || started === 0 || n > started ? '' : ` · ${percent(n / started)}`;
  const href = hrefOfNode(run, node);
  const drawn = (
    <>
      <rect class={`flow-node flow-${kind}`} x={x} y={y} width={NODE_PX} height={height} rx={2} />
      <text x={x + NODE_PX + 6} y={y + height / 2} dominant-baseline="central">
        {plainText(title)} <tspan class="flow-number">{count(n)}</tspan>
        {share}
      </text>
    </>
  );
  return href === null ? <g>{drawn}</g> : <a href={href}>{drawn}</a>;
}

/** null: there is no list of it. */
export function hrefOfNode(run: string, { id }: Pick<FlowNode, 'id'>): string | null {
  if (id === 'inherited' || id === 're_emitted')
    return hrefOf({ page: 'sql', params: { named: 'accounting', 'p.run': run } });
  if (id === 'rejected') return hrefOf({ page: 'failures', params: { run } });
  if (id.startsWith('reason:'))
    return hrefOf({ page: 'failures', params: { run, reason: id.slice('reason:'.length) } });
  if (id.startsWith('state:'))
    return hrefOf({ page: 'flow', params: { run, book: 'ready', state: id.slice('state:'.length) } });
  return hrefOf({ page: 'flow', params: { run, book: id } });
}

function xOf({ column }: FlowNode): number {
  return COLUMN_X[column] ?? 0;
}

/** A band that keeps its width, bent in the middle. */
function pathOf({ from, to, fromY, toY, width }: FlowLink): string {
  const [x0, x1] = [xOf(from) + NODE_PX, xOf(to)];
  const middle = (x0 + x1) / 2;
  const there = `M${x0},${fromY} C${middle},${fromY} ${middle},${toY} ${x1},${toY}`;
  const back = `L${x1},${toY + width} C${middle},${toY + width} ${middle},${fromY + width} ${x0},${fromY + width}`;
  return `${there} ${back} Z`;
}
