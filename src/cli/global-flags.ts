import { type Command, Option } from 'commander';
import { LOG_LEVELS } from '../config/keys.ts';

/** Flags that every command has, before or after its name. */
export interface GlobalFlags {
  readonly config?: string;
  readonly data?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: string;
}

export function addGlobalFlags(command: Command): Command {
  return command
    .addOption(new Option('--config <file>', 'configuration, YAML').helpGroup('Global options:'))
    .addOption(
      new Option('--data <dir>', 'folder of the embedded data (default ./rollstream-data)').helpGroup(
        'Global options:',
      ),
    )
    .addOption(new Option('--json', 'JSON on stdout, nothing else').helpGroup('Global options:'))
    .addOption(new Option('--quiet', 'no progress, no remarks').helpGroup('Global options:'))
    .addOption(
      new Option('--log-level <level>', 'what is logged to stderr').choices(LOG_LEVELS).helpGroup('Global options:'),
    );
}
