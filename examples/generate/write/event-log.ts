import type { Json } from '../python-json.ts';
import type { Task } from '../script/task.ts';
import type { AttemptPlan } from './step-events.ts';

/** One line of a step-events file, and the time by which lines of several attempts are merged. */
export interface StepLine {
  readonly atMs: number;
  readonly event: { readonly [key: string]: Json };
}

export interface EventLog {
  readonly lines: StepLine[];
  /** An event of the loop itself: numbered, gap-free. */
  add(kind: string, ms: number, body: { [key: string]: Json }): void;
  /** A verdict, or a phase after the end: not numbered. */
  addUnordered(kind: string, ms: number, body: { [key: string]: Json }): void;
}

/** Numbers the events of one attempt and gives each its place on the wall clock, one after the other. */
export function createEventLog(task: Task, plan: AttemptPlan): EventLog {
  const lines: StepLine[] = [];
  const attempt = plan.attempt ?? 0;
  let nowMs = plan.startMs;
  let nextSeq = 0;

  function append(kind: string, seq: number | null, ms: number, body: { [key: string]: Json }): void {
    const startedMs = nowMs;
    nowMs += ms;
    const event: { [key: string]: Json } = { run_id: plan.runId };
    if (plan.purpose !== undefined) event.purpose = plan.purpose;
    event.env_name = plan.envName;
    event.task_id = task.id;
    if (plan.groupId !== undefined) event.group_id = plan.groupId;
    if (plan.groupSize !== undefined) event.group_size = plan.groupSize;
    event.rollout_id = plan.rolloutId;
    event.attempt = attempt;
    if (seq !== null) event.seq = seq;
    event.event_id = `${plan.rolloutId}.${attempt}.${lines.length}`;
    event.producer_id = kind === 'verdict' ? 'grader' : 'agent-loop';
    event.kind = kind;
    event.started_at = startedMs * 1000;
    event.ended_at = nowMs * 1000;
    if (ms > 0) event.duration_us = ms * 1000;
    event.source = { format: 'rollstream', version: '1' };
    event[kind] = body;
    lines.push({ atMs: nowMs, event });
    nowMs += 1;
  }

  return {
    lines,
    add(kind, ms, body) {
      append(kind, nextSeq, ms, body);
      nextSeq += 1;
    },
    addUnordered: (kind, ms, body) => append(kind, null, ms, body),
  };
}
