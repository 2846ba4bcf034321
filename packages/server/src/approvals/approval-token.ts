import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { HostError } from '../errors.js';
import type { Approval } from './approval.js';

/** A key that tokens are signed with. */
export interface ApprovalKey {
  /** 1 to 64 letters, digits, `-` and `_`. It is in the token. */
  readonly id: string;
  /** At least 32 bytes. */
  readonly secret: Uint8Array;
}

const TOKEN = /^([\w-]{1,64})\.([\w-]{1,2000})\.([\w-]{43})$/;
const MIN_SECRET_BYTES = 32;

/**
 * Signs and checks tokens of approvals: `<key id>.<payload>.<HMAC-SHA256>`. A token is bound to tenant, conversation,
 * approval, tool, call, input and expiry. The first key signs, all check, so a new key is put in front, and the old one
 * goes when its tokens have expired.
 */
export class ApprovalTokens {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  readonly #current: ApprovalKey;

  /** @throws HostError `invalid`. */
  constructor(keys: readonly ApprovalKey[]) {
    const [current] = keys;
    if (current === undefined) throw invalid('`approvals.keys` must have at least one key.');
    for (const { id, secret } of keys) {
      if (!/^[\w-]{1,64}$/.test(id)) throw invalid('The id of an approval key must be 1 to 64 of A-Z a-z 0-9 - _.');
      const isLongEnough = secret instanceof Uint8Array && secret.byteLength >= MIN_SECRET_BYTES;
      if (isLongEnough) continue;
      throw invalid(
        `The secret of the approval key ${id} must be a Uint8Array of at least ${MIN_SECRET_BYTES} bytes. Make one with randomBytes(32) of node:crypto, and keep it.`,
      );
    }
    this.#current = current;
    this.#keys = new Map(keys.map(({ id, secret }) => [id, secret]));
    if (this.#keys.size < keys.length) throw invalid('Two approval keys have the same id.');
  }

  sign(approval: Approval): string {
    const { id, secret } = this.#current;
    const signed = `${id}.${payloadOf(approval)}`;
    return `${signed}.${mac(secret, signed).toString('base64url')}`;
  }

  /** Whether a token was made for exactly this approval. Its expiry is checked by the approval's own. */
  fits(token: string, approval: Approval): boolean {
    const [, id = '', payload = '', signature = ''] = TOKEN.exec(token) ?? [];
    const secret = this.#keys.get(id);
    if (secret === undefined) return false;
    // As text: the last character of base64 has bits that no byte needs, so several texts decode to the same bytes.
    const expected = mac(secret, `${id}.${payload}`).toString('base64url');
    const isSigned = timingSafeEqual(Buffer.from(expected), Buffer.from(signature));
    return isSigned && payload === payloadOf(approval);
  }
}

/** The tenant and the input stand as digests: a token is carried around, and says nothing. */
function payloadOf({ tenant, id, approvalId, toolUseId, toolName, inputDigest, expiresAt }: Approval): string {
  const bound = JSON.stringify([tenant, id, approvalId, toolUseId, toolName, inputDigest, expiresAt]);
  return Buffer.from(
    JSON.stringify([approvalId, expiresAt, createHash('sha256').update(bound).digest('base64url')]),
  ).toString('base64url');
}

function mac(secret: Uint8Array, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

function invalid(message: string): HostError {
  return new HostError('invalid', message);
}
