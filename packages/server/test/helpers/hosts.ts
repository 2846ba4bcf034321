import { InMemorySessionStore } from 'claudewire';
import { type Script, type ScriptedCli, type ScriptedCliOptions, scriptedCli } from 'claudewire/testing';
import { expect, onTestFinished } from 'vitest';
import type { LoggedEvent } from '../../src/events/conversation-event.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { createSessionHost, type SessionHost } from '../../src/host/session-host.js';
import type { ConversationKey } from '../../src/stores/conversation-key.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { tempFolder } from './temp-folder.js';

export const SESSION = '11111111-1111-4111-8111-111111111111';

/** The script of a test that starts no process. */
export const NONE: Script = [];

/** A CLI that plays in this process. Judged when the test is over, after the hosts are closed. */
export function cliFor(script: Script, options: ScriptedCliOptions = {}): ScriptedCli {
  const cli = scriptedCli(script, { inProcess: true, sessionId: SESSION, ...options });
  // A script that nobody begins is a failure, so one for no process is judged by its processes.
  onTestFinished(() => (script === NONE ? expect(cli.runs).toEqual([]) : cli.close()));
  return cli;
}

/** A host whose tenants have homes of their own. Closed when the test is over. */
export function hostOn(
  cli: ScriptedCli,
  options: Partial<SessionHostOptions> = {},
  folder = tempFolder(),
): SessionHost {
  const host = createSessionHost({
    store: new InMemoryConversationStore(),
    sessionStore: new InMemorySessionStore(),
    optionsFor: (tenant) => ({ ...cli.options, cwd: folder, env: { CLAUDE_CONFIG_DIR: `${folder}/${tenant}` } }),
    ...options,
  });
  onTestFinished(() => host.close());
  return host;
}

/** Creates a conversation. */
export async function newKey(host: SessionHost, tenant = 'ada'): Promise<ConversationKey> {
  return { tenant, id: (await host.create({ tenant })).id };
}

/** The events after an id, up to the end of the turn. */
export async function turnOf(host: SessionHost, key: ConversationKey, after = 0): Promise<readonly LoggedEvent[]> {
  return await eventsUntil(host, key, ({ event }) => event.type === 'turn_ended', after);
}

export async function eventsUntil(
  host: SessionHost,
  key: ConversationKey,
  isLast: (entry: LoggedEvent) => boolean,
  after = 0,
): Promise<readonly LoggedEvent[]> {
  const seen: LoggedEvent[] = [];
  for await (const entry of await host.events({ ...key, after })) {
    seen.push(entry);
    if (isLast(entry)) break;
  }
  return seen;
}

/** Sends, and waits for the end of the turn. Its outcome. */
export async function ask(host: SessionHost, key: ConversationKey, text: string): Promise<string> {
  const { eventId } = await host.send({ ...key, text });
  const last = (await turnOf(host, key, eventId)).at(-1);
  return last?.event.type === 'turn_ended' ? last.event.outcome : 'none';
}
