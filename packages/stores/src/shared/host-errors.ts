import type { HostError, HostErrorCode } from 'claudewire-server';
import { serverEntry } from './server-entry.js';

export async function hostError(code: HostErrorCode, message: string): Promise<HostError> {
  const { HostError } = await serverEntry();
  return new HostError(code, message);
}

/** The same text for an unknown id and for another tenant's, as the other stores say it. */
export async function notFound(): Promise<HostError> {
  return await hostError('not_found', 'There is no such conversation. Create one, or list those that there are.');
}

/** What a host is answered whose lease has passed to another one. */
export async function leasePassed(): Promise<HostError> {
  return await hostError(
    'conflict',
    'Another host has had this conversation since. What this host knows is out of date.',
  );
}

/** The same text as the other stores say. @param count - How many there are. */
export async function tooManyConversations(count: number, most: number): Promise<HostError> {
  const text = `This tenant has ${count} conversations, and \`limits.conversationsPerTenant\` is ${most}.`;
  return await hostError('limit_reached', `${text} Delete conversations, then create another one.`);
}
