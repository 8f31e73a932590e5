import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { Chart } from '../../parts/chart.tsx';
import { plainText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { columnsOfResult } from './exact-rows.ts';

const MOST_ROWS = 300;
const MOST_HORIZONTAL = 30;

/** One label against one number; drawn at once where there is no other choice, else when a number is picked. */
export function ResultChart({
  rows,
  params,
}: {
  readonly rows: readonly Row[];
  readonly params: Readonly<Record<string, string>>;
}) {
  const columns = columnsOfResult(rows);
  const numbers = columns.filter(({ isNumber }) => isNumber).map(({ name }) => name);
  const labels = columns.filter(({ isNumber }) => !isNumber).map(({ name }) => name);
  if (numbers.length === 0 || labels.length === 0 || rows.length < 2 || rows.length > MOST_ROWS) return null;
  const isObvious = numbers.length === 1 && labels.length === 1;
  const y = numbers.find((name) => name === params.y) ?? (isObvious ? (numbers[0] ?? '') : '');
  const x = labels.find((name) => name === params.x) ?? labels[0] ?? '';
  return (
    <div class="result-chart">
      {isObvious ? null : (
        <p class="actions">
          <Pick title="chart" name="y" value={y} values={['', ...numbers]} />
          {y === '' ? null : <Pick title="by" name="x" value={x} values={labels} />}
        </p>
      )}
      {y === '' ? null : (
        <Chart
          kind="bar"
          label={`${y} by ${x}, ${rows.length} rows`}
          labels={rows.map((row) => plainText(textOf(row, x)))}
          isHorizontal={rows.length <= MOST_HORIZONTAL}
          series={[{ name: y, values: rows.map((row) => numberOf(row, y)) }]}
        />
      )}
    </div>
  );
}

function Pick({
  title,
  name,
  value,
  values,
}: {
  readonly title: string;
  readonly name: string;
  readonly value: string;
  readonly values: readonly string[];
}) {
  return (
    <label>
      {title}{' '}
      <select value={value} onChange={(event) => goWith({ [name]: event.currentTarget.value }, 'replace')}>
        {values.map((one) => (
          <option key={one} value={one}>
            {one === '' ? 'none' : plainText(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
