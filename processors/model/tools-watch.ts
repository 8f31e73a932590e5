import type { Found } from './audit-summary.ts';

/** What was found of tool calls while calls and results were folded. */
export interface ToolsWatch {
  readonly findings: Found[];
  /** Of turns without raw text, for whoever can decode their tokens. Bounded. */
  readonly executed: ExecutedTurn[];
}

export interface ExecutedTurn {
  readonly turn: number;
  readonly calls: readonly ExecutedCall[];
}

/** A call as the loop understood and executed it. */
export interface ExecutedCall {
  readonly callId: string;
  readonly name: string | null;
  /** Arguments after the parser, and as they were executed, JSON text; null: the source does not say. */
  readonly parsed: string | null;
  readonly executed: string | null;
}
