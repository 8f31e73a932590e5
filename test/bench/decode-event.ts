import avsc from 'avsc';
import { HEADER_BYTES } from '../../processors/decode/wire-format.ts';
import { type StepEvent, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Bench } from './bench.ts';
import { framedCalls } from './framed-calls.ts';
import { comparedRates } from './rounds.ts';

/** One record, framed, as a lane reads it → event. */
export const decodeEvent: Bench = {
  name: 'decode',
  async run(size) {
    const rounds = size === 'full' ? 9 : 1;
    const { codecs, framed, bytes } = await framedCalls(size === 'full' ? 4000 : 50);
    await codecs.prepare([1]);
    const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
    const type = avsc.Type.forSchema(stepEventSchema);
    const passes = size === 'full' ? 10 : 1;
    let decoded = 0;
    const repeated = (one: (record: Buffer) => void) => () => {
      for (let pass = 0; pass < passes; pass++) for (const record of framed) one(record);
    };
    const rates = await comparedRates(
      rounds,
      passes * framed.length,
      repeated((record) => {
        if (decode(record).kind === 'ok') decoded++;
      }),
      repeated((record) => {
        type.decode(record, HEADER_BYTES);
      }),
    );
    if (decoded !== passes * framed.length * (rounds + 1)) throw new Error('a record could not be decoded');
    return [
      {
        name: `decode, ${bytes} bytes`,
        value: rates.figure,
        unit: 'events/s',
        yardstick: { name: 'avsc decode', value: rates.yardstick },
        ratio: rates.ratio,
        notes: [`${(1e6 / rates.figure.median).toFixed(1)} µs an event`],
      },
    ];
  },
};
