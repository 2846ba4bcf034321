/** Reads every session of the configuration folder in every way, and prints what it is told. */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  getSessionInfo,
  getSessionMessages,
  getSubagentMessages,
  listSessions,
  listSubagents,
} from '@anthropic-ai/claude-agent-sdk';
import { outcome, say } from './say.mjs';

const folders = JSON.parse(process.argv[2]);
say('all', given(await listSessions()));
for (const [name, dir] of Object.entries(folders)) {
  for (const options of [
    {},
    { includeWorktrees: false },
    { includeProgrammatic: false },
    { limit: 3 },
    { limit: 3, offset: 2 },
    { offset: 100 },
    { limit: 0 },
  ]) {
    say('list', { name, options, rows: given(await listSessions({ dir, ...options })) });
  }
}
for (const sessionId of everyId()) {
  for (const dir of [undefined, ...Object.values(folders)]) {
    const where = dir === undefined ? {} : { dir };
    say('info', given([await getSessionInfo(sessionId, where)]));
    for (const options of [{}, { includeSystemMessages: true }, { limit: 2 }, { limit: 3, offset: 2 }]) {
      say('messages', await outcome(() => getSessionMessages(sessionId, { ...where, ...options })));
    }
    const agents = await listSubagents(sessionId, where);
    say('agents', agents);
    for (const agent of agents) {
      for (const options of [{}, { limit: 1 }, { limit: 1, offset: 1 }]) {
        say('agent messages', await getSubagentMessages(sessionId, agent, { ...where, ...options }));
      }
    }
  }
}

/** Those of the files, since a list may leave some out. */
function everyId() {
  const projects = join(process.env.CLAUDE_CONFIG_DIR, 'projects');
  return readdirSync(projects)
    .flatMap((project) => readdirSync(join(projects, project)))
    .filter((file) => file.endsWith('.jsonl'))
    .map((file) => basename(file, '.jsonl'))
    .sort();
}

/** A field that is `undefined` is no field. */
function given(rows) {
  return JSON.parse(JSON.stringify(rows.map((row) => row ?? null)));
}
