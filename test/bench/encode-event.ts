import avsc from 'avsc';
import { stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Bench } from './bench.ts';
import { framedCalls } from './framed-calls.ts';
import { comparedRates } from './rounds.ts';

/** One event → record, framed. */
export const encodeEvent: Bench = {
  name: 'encode',
  async run(size) {
    const { encode, events, bytes } = await framedCalls(size === 'full' ? 4000 : 50);
    const type = avsc.Type.forSchema(stepEventSchema);
    const passes = size === 'full' ? 10 : 1;
    const rates = await comparedRates(
      size === 'full' ? 9 : 1,
      passes * events.length,
      () => {
        for (let pass = 0; pass < passes; pass++) for (const event of events) encode(event);
      },
      () => {
        for (let pass = 0; pass < passes; pass++) for (const event of events) type.toBuffer(event);
      },
    );
    return [
      {
        name: `encode, ${bytes} bytes`,
        value: rates.figure,
        unit: 'events/s',
        yardstick: { name: 'avsc toBuffer', value: rates.yardstick },
        ratio: rates.ratio,
        notes: [`${(1e6 / rates.figure.median).toFixed(1)} µs an event`],
      },
    ];
  },
};
