import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../src/config/package-file.ts';
import { ERRORS } from '../src/errors.ts';
import { codeOf, importsOf, packageOf, projectPaths, readSource, type SourceFile } from './tidy/source-file.ts';

/** The style of the project, as far as a machine can hold it. Each list of exemptions fails once an entry is stale. */

const paths = projectPaths();
const sources = paths.filter((path) => /\.(?:ts|mjs)$/.test(path)).map(readSource);
const isGenerated = (path: string): boolean => path.startsWith('schemas/generated/');
const isTest = (path: string): boolean => path.startsWith('test/');
const product = sources.filter(
  ({ path }) => /^(?:src|processors|schemas|clients|examples)\//.test(path) && !isGenerated(path),
);
const written = sources.filter(({ path }) => !isGenerated(path));
const processors = product.filter(({ path }) => path.startsWith('processors/'));

/** `path: what` for each match in the code, so that a failure says where to look. */
function matches(files: readonly SourceFile[], pattern: RegExp, of: 'code' | 'text' = 'code'): string[] {
  return files.flatMap((file) =>
    file[of].split('\n').flatMap((line, index) => {
      const found = pattern.exec(line)?.[0];
      return found === undefined ? [] : [`${file.path}:${index + 1}: ${found.trim()}`];
    }),
  );
}

describe('this test', () => {
  it('tells code from comments, strings, templates and regular expressions', () => {
    const text = "a; // any\n/* any */ b('it\\'s any'); c(/['\"/any]/g, `any d`); e = f / g / h; // any";
    expect(codeOf(text).replace(/ +/g, ' ')).toBe('a; \n b( ); c( , ); e = f / g / h; ');
  });

  it('does so in every file: no quote is left over', () => {
    expect(matches(sources, /['"`]/)).toEqual([]);
  });

  it('finds imports of every kind', () => {
    const text = [
      "import a, { type B } from '../a.ts';",
      "export { c } from './c.ts';",
      "import 'side-effect';",
      "await import('@scope/name/sub');",
      "new URL('./worker.ts', import.meta.url);",
      "createRequire(import.meta.url).resolve('engine');",
    ];
    expect(importsOf('src/x/y.ts', text.join('\n'))).toEqual([
      'src/a.ts',
      'src/x/c.ts',
      'side-effect',
      '@scope/name/sub',
      'src/x/worker.ts',
      'engine',
    ]);
    expect(packageOf('@scope/name/sub')).toBe('@scope/name');
  });
});

describe('processors', () => {
  it('import only processors, schemas, rxjs, avsc and what is deterministic in node', () => {
    const allowed = new Set(['rxjs', 'avsc', 'node:buffer', 'node:crypto']);
    const foreign = processors.flatMap(({ path, imports }) =>
      imports
        .filter((target) => !/^(?:processors|schemas)\//.test(target) && !allowed.has(packageOf(target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  it('have no clock, no randomness, no timers, no I/O', () => {
    const impure =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bset(?:Timeout|Interval|Immediate)\b|\bperformance\.|\bconsole\.|\brandom(?:UUID|Bytes|Int)\b|\bfetch\(/;
    expect(matches(processors, impure)).toEqual([]);
  });

  it('know the stage they are in and the model: stages do not import each other', () => {
    // The pipeline joins the stages, a replay drives them; a cut freezes and checks the state of all of them.
    const mayImportAll = new Set(['processors', 'processors/cut', 'processors/replay']);
    const stageOf = (path: string): string => path.split('/').slice(0, 2).join('/');
    const shared = new Set(['processors/model', 'processors/taxonomy']);
    const crossed = processors
      .filter(({ path }) => path.split('/').length > 2 && !mayImportAll.has(stageOf(path)))
      .flatMap(({ path, imports }) =>
        imports
          .filter((target) => target.startsWith('processors/'))
          .filter((target) => stageOf(target) !== stageOf(path) && !shared.has(stageOf(target)))
          .map((target) => `${path}: ${target}`),
      );
    expect(crossed).toEqual([]);
  });
});

describe('the TypeScript client', () => {
  it('stands alone: it imports itself and node', () => {
    const foreign = sources
      .filter(({ path }) => path.startsWith('clients/typescript/'))
      .flatMap(({ path, imports }) => imports.map((target) => `${path}: ${target}`))
      .filter((line) => !/: (?:clients\/typescript\/|node:)/.test(line));
    expect(foreign).toEqual([]);
  });
});

describe('adapters hide behind their ports', () => {
  const homes: Record<string, string> = {
    kafkajs: 'src/broker/kafka/',
    lmdb: 'src/broker/embedded/',
    chdb: 'src/clickhouse/',
    '@clickhouse/client': 'src/clickhouse/',
  };
  for (const [name, home] of Object.entries(homes)) {
    it(`${name} is imported only in ${home}`, () => {
      const elsewhere = product.filter(
        ({ path, imports }) =>
          imports.some((target) => packageOf(target) === name) &&
          !path.startsWith(home) &&
          // Written as users write theirs.
          !path.startsWith('examples/consumers/'),
      );
      expect(elsewhere.map(({ path }) => path)).toEqual([]);
    });
  }
});

describe('files', () => {
  it('stay small: 280 lines, tests under 500', () => {
    const long = written
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ path, lines }) => (isTest(path) ? lines >= 500 : lines > 280));
    expect(long).toEqual([]);
  });

  it('have names in kebab-case (Python and named queries in snake_case), and none that means nothing', () => {
    const odd = paths
      .filter((path) =>
        /^(?:src|processors|schemas|clients\/typescript|test|infra|docs|web|examples\/generate)\//.test(path),
      )
      // Names that other tools look for.
      .filter((path) => !['README.md', 'Dockerfile'].includes(posix.basename(path)))
      .filter((path) => {
        const segment = /\.py$|infra\/clickhouse\/queries\//.test(path)
          ? /^[a-z0-9]+(?:_[a-z0-9]+)*(?:\.test)?\.(?:py|sql|ts)$/
          : /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/;
        return !segment.test(posix.basename(path)) || /\b(?:utils?|helpers?|managers?|common|misc)\b/.test(path);
      });
    expect(odd).toEqual([]);
  });

  it('are no barrels', () => {
    const barrels = written.filter(({ path, code }) => {
      const statements = code.split(';').map((statement) => statement.trim());
      const isReexport = (statement: string): boolean => /^export\s+(?:type\s+)?[{*][^=]*\bfrom$/.test(statement);
      return /\bindex\.\w+$/.test(path) || statements.filter(Boolean).every(isReexport);
    });
    expect(barrels.map(({ path }) => path)).toEqual([]);
  });

  it('are imported by something that is not a test', () => {
    // Started, not imported.
    const entries = [
      'src/cli/main.ts',
      'src/docs/write-pages.ts',
      'schemas/generate.ts',
      'examples/generate/main.ts',
      'examples/consumers/consume.ts',
      'clients/typescript/recorder.ts',
    ];
    const imported = new Set(sources.filter(({ path }) => !isTest(path)).flatMap(({ imports }) => imports));
    const unused = product.map(({ path }) => path).filter((path) => !imported.has(path));
    expect(unused.sort()).toEqual(entries.sort());
  });

  it('of the tests that are no tests are used by one', () => {
    const unused = paths
      .filter((path) => isTest(path) && /\.(?:ts|mjs|py)$/.test(path) && !path.endsWith('.test.ts'))
      // Started by the name that they were compiled to.
      .filter((path) => path !== 'test/bench/main.ts' && path !== 'test/bench/open-trajectories.child.ts')
      .filter((path) => {
        const name = posix.basename(path);
        return !sources.some((file) => file.path !== path && file.text.includes(name));
      });
    expect(unused).toEqual([]);
  });
});

describe('code', () => {
  it('has no type any', () => {
    expect(matches(written, /(?:[:<|&]|=>|\b(?:as|extends|keyof))\s*any\b(?!\s*[?(])/)).toEqual([]);
  });

  it('silences neither compiler nor linter, and casts nothing twice', () => {
    const silenced = [
      ...matches(written, /@ts-(?:ignore|expect-error|nocheck)|biome-ignor[e]|eslint-disabl[e]/, 'text'),
      ...matches(written, /\bas unknown as\b/),
    ];
    expect(silenced).toEqual([]);
  });

  it('skips no test, but for what an adapter says it lacks', () => {
    const tests = sources.filter(({ path }) => isTest(path));
    const skipped = matches(tests, /\.(?:skip|only|todo|fails|skipIf)\(|\bx(?:it|describe)\(/);
    const lacking = matches(
      tests.filter(({ path }) => path.startsWith('test/contract/')),
      /(?<=\bcontext)\.skip\(/,
    );
    expect(skipped.filter((line) => !lacking.includes(line))).toEqual([]);
  });
});

it('each test file mirrors a source', () => {
  const free = [
    'chapters',
    'contract',
    'simulation',
    'e2e',
    'oracles',
    'bench',
    'chaos',
    'kafka',
    'examples',
    'injection',
    'clients',
  ];
  const orphans = paths
    .filter((path) => isTest(path) && path.endsWith('.test.ts') && path !== 'test/tidy.test.ts')
    .filter((path) => !free.includes(path.split('/')[1] ?? ''))
    .filter((path) => {
      // A contract runs against an adapter, which is a folder.
      const adapter = path.endsWith('.contract.test.ts') ? posix.dirname(path) : path;
      // `source.aspect.test.ts` is a further file about one source.
      const source = adapter.replace(/^test\//, '').replace(/(?:\.[a-z-]+)?\.test\.ts$/, '');
      return !paths.some((other) => other.startsWith(`${source}.`) || other.startsWith(`${source}/`));
    });
  expect(orphans).toEqual([]);
});

it('no file knows the machine it was written on', () => {
  // Rollouts quote paths of the sandbox they ran in.
  const texts = paths.filter(
    (path) =>
      !path.startsWith('examples/rollouts/') &&
      /\.(?:ts|mjs|md|json|avsc|ya?ml|sql|py|html|css|sh)$|^\.ci\/|^[^/]+$/.test(path),
  );
  const machine = /(?<![\w.~-])\/(?:work|home|Users|root)\/[\w.-]+|\b[A-Z]:\\\w/;
  const found = texts.flatMap((path) => {
    const text = readFileSync(packageFile(path), 'utf8');
    const match = machine.exec(text)?.[0];
    return match === undefined ? [] : [`${path}: ${match}`];
  });
  expect(found).toEqual([]);
});

it('each error code is used', () => {
  const program = sources.filter(({ path }) => path.startsWith('src/') && path !== 'src/errors.ts');
  const unused = Object.keys(ERRORS).filter((code) => !program.some(({ text }) => text.includes(`'${code}'`)));
  expect(unused).toEqual([]);
});

describe('documents', () => {
  const documents = paths.filter((path) =>
    /^(?:README|CHANGELOG)\.md$|^docs\/.+\.md$|^schemas\/README\.md$/.test(path),
  );
  const prose = (path: string): string => readFileSync(packageFile(path), 'utf8').replace(/^```[\s\S]*?^```/gm, '');

  it('exist', () => {
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'schemas/README.md']));
  });

  it('link to what exists', () => {
    const broken = documents.flatMap((document) =>
      [...prose(document).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = '', anchor = ''] = target.split('#');
          const path = file === '' ? document : posix.join(posix.dirname(document), file);
          if (!existsSync(packageFile(path))) return true;
          return anchor !== '' && path.endsWith('.md') && !anchorsOf(prose(path)).includes(anchor);
        })
        .map((target) => `${document}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});

function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

interface LockEntry {
  version?: string;
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

describe('packages', () => {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(packageFile('package-lock.json'), 'utf8'),
  );
  const { dependencies = {}, devDependencies = {} } = lock.packages[''] ?? {};

  it('that are dependencies are imported, and what the program imports is one', () => {
    const imported = new Set(
      product
        .flatMap(({ path, imports }) => (path.startsWith('examples/') ? [] : imports))
        .filter((target) => !/^(?:node:|src\/|processors\/|schemas\/|clients\/)/.test(target))
        .map(packageOf),
    );
    expect([...imported].sort()).toEqual(Object.keys(dependencies).sort());
  });

  it('come in one exact version each', () => {
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('are locked without the host they came from, the optional ones of other platforms too', () => {
    const hosts = Object.values(lock.packages).flatMap(({ resolved = [] }) => resolved);
    expect(hosts).toEqual([]);
    const missing = Object.values(lock.packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !Object.keys(lock.packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });
});
