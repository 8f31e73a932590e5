import type { Store } from './port.ts';

/** The frontier that a term was restored at: the terms before it owned nothing from there on. */
export interface TermFound {
  readonly term: number;
  readonly restored: number;
}

/** All terms of a partition, in order. One higher than the reader's own means: fenced. */
export async function readTerms(store: Store, topic: string, partition: number): Promise<TermFound[]> {
  return store.query<TermFound>(
    `SELECT term, restored FROM rollstream.terms FINAL
     WHERE topic = {topic:String} AND partition = {partition:Int32} ORDER BY term`,
    { topic, partition },
  );
}
