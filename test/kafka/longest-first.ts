import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take minutes, small as their files are: begun last, the last of them would run alone. */
const LONGEST = ['chaos', 'delivery-kills', 'gate-drift', 'replay-emit', 'faults'].map((name) => `/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
