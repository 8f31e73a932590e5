import { RollstreamError } from '../errors.ts';
import { rowsOf } from '../policies/find-policy.ts';
import { readKeptRequest } from '../rescore/kept-request.ts';
import { type OpenReplays, openReplays } from '../rescore/open-replays.ts';
import type { ReplayRequest } from '../rescore/replay-request.ts';
import type { ReplayReport } from '../rescore/replays.ts';
import { reportText } from '../rescore/report/text.ts';
import { verdictLines, verdictWarnings } from '../rescore/report/verdict-lines.ts';
import type { CommandContext } from './context.ts';
import { followReplay } from './follow-replay.ts';
import { createReplayBar } from './replay-bar.ts';
import { checkReplayFlags, type ReplayFlags } from './replay-flags.ts';
import { openReplayPage, type ReplayPage } from './replay-page.ts';
import { replayRequestOf } from './replay-request-of.ts';
import { replayListText, replayStatusText } from './replay-text.ts';
import { keepReplayVerdicts } from './replay-verdicts.ts';
import { visible } from './table.ts';
import { stopping } from './until-stopped.ts';

/** Answers with the exit code. */
export async function runReplayCommand(flags: ReplayFlags, context: CommandContext): Promise<number> {
  checkReplayFlags(flags);
  const opened = await openReplays(context);
  const { replays } = opened;
  const isJson = context.flags.json === true;
  const write = (value: unknown, text: string) => context.out.write(isJson ? `${JSON.stringify(value)}\n` : text);
  try {
    if (flags.list === true) {
      const list = await replays.list();
      await write({ replays: list }, replayListText(list, context.paint));
      return 0;
    }
    if (flags.status !== undefined || flags.cancel !== undefined) {
      const status = await (flags.cancel === undefined
        ? replays.status(flags.status ?? '')
        : replays.cancel(flags.cancel));
      await write(status, replayStatusText(status));
      return 0;
    }
    const page = await openReplayPage(flags.html, context.io.cwd);
    try {
      return await (flags.report === undefined
        ? replay(flags, context, opened, page)
        : tell(await replays.report(flags.report), page, context));
    } finally {
      await page.discard();
    }
  } finally {
    await opened.close();
  }
}

async function replay(
  flags: ReplayFlags,
  context: CommandContext,
  opened: OpenReplays,
  page: ReplayPage,
): Promise<number> {
  const { access, replays } = opened;
  const request =
    flags.resume === undefined
      ? await replayRequestOf(flags, context, access)
      : await keptRequest(flags.resume, opened);
  const { signal: stopped, forget } = stopping(context);
  const bar = createReplayBar(context.io, context.flags.quiet === true);
  try {
    if (flags.resume === undefined) await keepReplayVerdicts(flags, request, opened, { context, bar, stopped });
    const started = await replays.start(request);
    if (request.save) context.say(`replay ${request.replayId}`);
    const { replay_id } = await followReplay(replays, started, { bar, stopped });
    const report = await replays.report(replay_id);
    for (const line of verdictLines(report)) context.say(visible(line));
    for (const line of verdictWarnings(report)) context.warn(visible(line));
    return await tell(report, page, context);
  } finally {
    bar.stop();
    forget();
  }
}

async function keptRequest(replayId: string, { access }: OpenReplays): Promise<ReplayRequest> {
  const [row] = await rowsOf<{ request_json: string }>(
    access,
    'SELECT request_json FROM rollstream.replays FINAL WHERE replay_id = {id:String}',
    { id: replayId },
  );
  if (row === undefined)
    throw new RollstreamError('RS_NOT_FOUND', `no replay ${replayId} was saved`, { facts: { field: 'resume' } });
  return readKeptRequest(row.request_json, async (id) => {
    const [document] = await rowsOf<{ content: string }>(
      access,
      'SELECT content FROM rollstream.documents FINAL WHERE id = {id:String} LIMIT 1',
      { id },
    );
    return document?.content ?? null;
  });
}

async function tell(report: ReplayReport, page: ReplayPage, context: CommandContext): Promise<number> {
  await page.write(report);
  const text = `${reportText(report, context.paint).join('\n')}\n`;
  await context.out.write(context.flags.json === true ? `${JSON.stringify(report)}\n` : text);
  return report.refused.some(({ n }) => n > 0) ? 4 : 0;
}
