import type { ToolResult } from '../../../schemas/generated/step-event.ts';
import type { ExecutedCall, ExecutedTurn, ToolsWatch } from '../../model/tools-watch.ts';
import { detached } from './around.ts';
import type { ListedCall } from './turn/begin-turn.ts';

const MOST_CALLS = 64;
const NO_CALLS: readonly ExecutedCall[] = [];
/** Turns in which the loop understood no call, shared by all attempts: most are. */
const BARE: readonly ExecutedTurn[] = Array.from({ length: 2 * MOST_CALLS }, (_, turn) => ({ turn, calls: NO_CALLS }));

/** Keeps the calls of a turn whose text only its tokens tell. What does not fit is left out whole: half a turn proves nothing. */
export function noteExecutedTurn(watch: ToolsWatch, turn: number, listed: readonly ListedCall[]): void {
  const bare = listed.length === 0 ? BARE[turn] : undefined;
  const held = watch.executed.reduce((sum, { calls }) => sum + calls.length + 1, 0);
  const cost = listed.reduce((sum, call) => sum + costOf(call), 0);
  if (held + listed.length + 1 > 2 * MOST_CALLS || cost > watch.executedRoom) return;
  if (bare !== undefined) {
    watch.executed.push(bare);
    return;
  }
  watch.executedRoom -= cost;
  const calls = listed.map(({ callId, name, parsed, raw }): ExecutedCall => {
    const said = parsed ?? raw;
    return {
      callId: detached(callId),
      name: name === null ? null : detached(name),
      parsed: said === null ? null : detached(said),
      executed: null,
      status: null,
    };
  });
  watch.executed.push({ turn, calls });
}

/** What became of a call, and whether the model was shown so. */
export function noteExecutedCall(watch: ToolsWatch, turn: number, result: ToolResult): void {
  const at = watch.executed.findLastIndex((candidate) => candidate.turn === turn);
  const noted = watch.executed[at];
  if (noted === undefined) return;
  const { call_id, name, executed_arguments: executed, status } = result;
  const index = noted.calls.findIndex((call) => call.callId === call_id && call.status === null);
  const known = noted.calls[index];
  const cost = (executed?.length ?? 0) + (known === undefined ? call_id.length + (name?.length ?? 0) : 0);
  if (cost > watch.executedRoom || noted.calls.length > MOST_CALLS) {
    watch.executed.splice(at, 1);
    return;
  }
  watch.executedRoom -= cost;
  const call: ExecutedCall = {
    callId: known?.callId ?? detached(call_id),
    name: known?.name ?? (name === null ? null : detached(name)),
    parsed: known?.parsed ?? null,
    executed: executed === null ? null : detached(executed),
    status,
  };
  const calls = known === undefined ? [...noted.calls, call] : noted.calls.with(index, call);
  watch.executed[at] = { turn, calls };
}

function costOf({ callId, name, parsed, raw }: ListedCall): number {
  return callId.length + (name?.length ?? 0) + (parsed ?? raw ?? '').length;
}
