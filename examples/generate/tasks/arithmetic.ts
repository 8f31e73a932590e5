import type { Task } from '../script/task.ts';

const SYSTEM = 'Work it out in your head. Finish with one line: ANSWER, a colon, and the number alone.';

/** A sum without tools: one model call answers it. */
export function arithmetic(id: string, prompt: string, groundTruth: string): Task {
  return { id, system: SYSTEM, prompt, groundTruth, tools: [] };
}
