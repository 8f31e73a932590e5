#!/usr/bin/env node
import { processIo } from './io.ts';
import { runCli } from './run-cli.ts';

const FAILED = 3;
const OVERDUE_MS = 5_000;

process.exitCode = await runCli(processIo());
// A worker that has failed must end, so that whoever watches it starts another, whatever is still open in it.
if (process.exitCode === FAILED) setTimeout(() => process.exit(), OVERDUE_MS).unref();
