import { goWith } from '../state/place.ts';

interface PlaceSelectProps {
  readonly label: string;
  /** What of the URL it sets. */
  readonly param: string;
  /** Empty: all. */
  readonly value: string;
  readonly options: readonly string[];
  /** How the empty choice is called; left out: there is none. */
  readonly all?: string;
}

/** A choice that stands in the URL. A value that is not among the options is one all the same: a link may say it. */
export function PlaceSelect({ label, param, value, options, all }: PlaceSelectProps) {
  const each = value === '' || options.includes(value) ? options : [value, ...options];
  return (
    <label class="choice">
      {label}
      <select value={value} onChange={(event) => goWith({ [param]: event.currentTarget.value })}>
        {all === undefined ? null : <option value="">{all}</option>}
        {each.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </label>
  );
}
