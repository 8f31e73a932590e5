import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';

// Appends, several at once, and transacts without end; each is numbered, and said on stdout once it was acknowledged.
const [folder = '', firstText = '0'] = process.argv.slice(2);
const broker = await openEmbeddedBroker({ folder });
const producer = await broker.transactional('writer');
let next = Number(firstText);

async function append(): Promise<void> {
  for (;;) {
    const n = next++;
    // 1 to 9 records of up to 50 KB: within a page, over pages, over chunks.
    const records = Array.from({ length: 1 + (n % 9) }, (_, index) => ({
      key: `${n}`,
      value: Buffer.alloc((n * 7919) % 50_000, `${n}/${index},`),
      headers: { of: `${1 + (n % 9)}` },
      partition: n % 2,
    }));
    await broker.append('appended', records);
    process.stdout.write(`append ${n}\n`);
  }
}

async function transact(): Promise<void> {
  for (;;) {
    const n = next++;
    const value = Buffer.alloc(n % 9000, `${n},`);
    const topics = ['ready', 'rejected', 'ready', 'state'];
    await producer.run({
      records: topics.map((topic) => ({ topic, record: { key: topic === 'state' ? 'cut' : `${n}`, value } })),
      commit: { group: 'lane', topic: 'appended', partition: 0, offset: n, metadata: `cut ${n}` },
    });
    process.stdout.write(`transact ${n}\n`);
  }
}

await Promise.all([append(), append(), append(), transact()]);
