import { writeFileSync } from 'node:fs';
import { packageFile } from '../config/package-file.ts';
import { generatedPages } from './pages.ts';

for (const [name, text] of generatedPages()) writeFileSync(packageFile('docs', name), text);
