// Starts the player where a program starts Claude Code. `claudewire-conformance compare` loads this with --import.
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';

const cli = process.env.CLAUDEWIRE_COMPARE_CLI;
const { spawn } = childProcess;

const isClaude = (command) => typeof command === 'string' && /^claude(?:\.exe)?$/.test(basename(command));
const isScript = (arg) => typeof arg === 'string' && /[\\/]@anthropic-ai[\\/]claude-[\w-]+[\\/]cli\.js$/.test(arg);

childProcess.spawn = function spawnPlayer(command, ...rest) {
  const args = Array.isArray(rest[0]) ? rest[0] : [];
  // Older releases of the SDK carry the CLI as a script: `node cli.js ARGS`.
  const script = args.findIndex(isScript);
  if (cli === undefined || rest[1]?.shell || !(isClaude(command) || script >= 0)) return spawn(command, ...rest);
  return spawn(cli, args.slice(script + 1), ...rest.slice(Array.isArray(rest[0]) ? 1 : 0));
};
syncBuiltinESMExports();
