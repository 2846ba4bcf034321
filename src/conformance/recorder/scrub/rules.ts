/** One thing to look for in a text, and what stands there afterwards. */
export interface ScrubRule {
  readonly kind: string;
  /** Global. */
  readonly pattern: RegExp;
  /** Where none of these stands, the pattern finds nothing. Looking for a text is quicker by far. */
  readonly hints?: readonly string[];
  readonly replacement: string | ((found: string) => Replacement);
}

export interface Replacement {
  readonly kind: string;
  readonly text: string;
}

export const placeholder = (kind: string): string => `[scrubbed:${kind}]`;

const secret = (kind: string, pattern: RegExp, ...hints: readonly string[]): ScrubRule => ({
  kind,
  pattern,
  hints,
  replacement: placeholder(kind),
});

/** Secrets that can be told by how they look, whoever wrote them. */
export const PATTERNS: readonly ScrubRule[] = [
  secret(
    'private-key',
    /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
    'PRIVATE KEY',
  ),
  secret('anthropic-key', /sk-ant-[\w-]{4,}/g, 'sk-ant-'),
  secret('api-key', /\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}/g, 'sk-'),
  secret('jwt', /\beyJ[\w-]{6,}\.[\w-]{6,}\.?[\w-]*/g, 'eyJ'),
  secret('aws-key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, 'AKIA', 'ASIA'),
  secret(
    'github-token',
    /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})/g,
    'gh',
    'github_pat_',
  ),
  secret('slack-token', /\bxox[abeprs]-[\w-]{10,}/g, 'xox'),
  secret('google-key', /\bAIza[\w-]{30,}/g, 'AIza'),
  secret('npm-token', /\bnpm_[A-Za-z0-9]{30,}/g, 'npm_'),
  secret(
    'bearer-token',
    /(?<=\b(?:Bearer|Basic)\s+)(?=[^\s"]*\d|[^\s"]{16})[\w.~+/-]{8,}=*/gi,
    'earer',
    'asic',
    'EARER',
    'ASIC',
  ),
  secret('url-credentials', /(?<=[a-zA-Z]:\/\/)[^\s/:@"]+:[^\s/@"]+(?=@)/gi, '://'),
  secret(
    'assigned-secret',
    /(?<=(?:_|\b)(?:API_?KEY|ACCESS_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD)["']?\s*[=:]\s*["']?)(?!\[scrubbed)[^\s"'\\,;{}]{6,}/g,
    'KEY',
    'TOKEN',
    'SECRET',
    'PASS',
  ),
];

/** Field names whose text is a secret, without `-` and `_`, in lower case. */
const SECRET_FIELDS = new Set(
  `apikey xapikey primaryapikey authorization proxyauthorization cookie setcookie password passwd passphrase secret
  clientsecret accesstoken refreshtoken idtoken authtoken token bearertoken oauthtoken sessiontoken privatekey secretkey
  accesskey secretaccesskey credentials`.split(/\s+/),
);

/** Fields that name a person or an organization, wherever they stand. */
const ACCOUNT_FIELDS = new Set(
  'email emailaddress organizationuuid accountuuid organizationname organizationid accountid'.split(
    ' ',
  ),
);

/** Of `account` in the answer to `initialize`, these say how one is logged in, not who. */
const OPEN_ACCOUNT_FIELDS = new Set([
  'tokenSource',
  'apiKeySource',
  'apiProvider',
  'subscriptionType',
]);

/** The kind of secret that a field's text is by the field's name alone. */
export function fieldKind(key: string, isAccount: boolean): string | undefined {
  if (isAccount) return OPEN_ACCOUNT_FIELDS.has(key) ? undefined : `account-${key}`;
  const plain = key.replace(/[-_]/g, '').toLowerCase();
  if (SECRET_FIELDS.has(plain) || isSecretVariable(key)) return 'secret-field';
  return ACCOUNT_FIELDS.has(plain) ? `account-${key}` : undefined;
}

/** Whether an environment variable of this name holds a secret. `MAX_OUTPUT_TOKENS` counts, and holds none. */
export function isSecretVariable(name: string): boolean {
  return (
    /^[A-Z][A-Z0-9_]*$/.test(name) &&
    /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|HEADERS)(?:_|$)/.test(name)
  );
}

/** Texts of a line that ask for a closer look: field names whose values must go. */
export const FIELD_HINT = new RegExp(
  `"(?:account|[\\w-]*(?:key|token|secret|password|passwd|passphrase|credentials?|authorization|cookie|headers)|${[...ACCOUNT_FIELDS].join('|')}|organization_\\w+|account_\\w+|email_address)"\\s*:`,
  'i',
);
