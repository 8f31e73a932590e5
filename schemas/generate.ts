import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { typescriptOf } from './typescript-of.ts';

// Run from dist/schemas or from schemas: either way the sources are in <root>/schemas.
const here = dirname(fileURLToPath(import.meta.url));
const folder = here.includes(`${join('dist', 'schemas')}`) ? join(here, '..', '..', 'schemas') : here;
for (const file of readdirSync(folder).filter((name) => name.endsWith('.avsc'))) {
  const target = join(folder, 'generated', file.replace('.avsc', '.ts'));
  writeFileSync(target, typescriptOf(file, readFileSync(join(folder, file), 'utf8')));
  process.stderr.write(`schemas/generated/${file.replace('.avsc', '.ts')}\n`);
}

// What the Python client writes events by: the same, without docs.
const stepEvent: unknown = JSON.parse(readFileSync(join(folder, 'step-event.avsc'), 'utf8'));
const shipped = join(folder, '..', 'clients', 'python', 'src', 'rollstream', 'recording', 'step_event.json');
writeFileSync(shipped, `${JSON.stringify(stepEvent, (key, value: unknown) => (key === 'doc' ? undefined : value))}\n`);
process.stderr.write('clients/python/src/rollstream/recording/step_event.json\n');
