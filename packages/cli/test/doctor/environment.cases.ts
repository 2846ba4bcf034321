/** Environments and what `doctor` says about each: `name where: found`, in order. `FILE` is a readable PEM file. */
export interface EnvironmentCase {
  readonly title: string;
  readonly env: Readonly<Record<string, string>>;
  readonly says: readonly string[];
}

const set = (names: string): string => `gateway ${names}: ${names.includes(',') ? 'These are' : 'It is'} set.`;

export const ENVIRONMENT_CASES: readonly EnvironmentCase[] = [
  { title: 'nothing', env: { PATH: '/bin' }, says: [] },
  { title: 'a key', env: { ANTHROPIC_API_KEY: 'k' }, says: [set('ANTHROPIC_API_KEY')] },
  {
    title: 'a gateway with its token',
    env: { ANTHROPIC_BASE_URL: 'https://llm.example/anthropic', ANTHROPIC_AUTH_TOKEN: 't' },
    says: [set('ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN')],
  },
  {
    title: 'a gateway without a token',
    env: { ANTHROPIC_BASE_URL: 'https://llm.example' },
    says: [set('ANTHROPIC_BASE_URL'), 'gateway ANTHROPIC_BASE_URL: A gateway is named, and no token for it.'],
  },
  {
    title: 'a key and a token',
    env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_AUTH_TOKEN: 't' },
    says: [
      set('ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY'),
      'gateway ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN: Both are set, and both are sent.',
    ],
  },
  {
    title: 'two providers',
    env: { CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_CODE_USE_VERTEX: 'true' },
    says: [
      set('CLAUDE_CODE_USE_BEDROCK, CLAUDE_CODE_USE_VERTEX'),
      'gateway CLAUDE_CODE_USE_BEDROCK, CLAUDE_CODE_USE_VERTEX: Several providers are selected at once.',
    ],
  },
  {
    title: 'a provider that is switched off',
    env: { CLAUDE_CODE_USE_VERTEX: '0', ANTHROPIC_VERTEX_PROJECT_ID: 'p' },
    says: [
      set('CLAUDE_CODE_USE_VERTEX, ANTHROPIC_VERTEX_PROJECT_ID'),
      'gateway ANTHROPIC_VERTEX_PROJECT_ID: Without CLAUDE_CODE_USE_VERTEX it has no effect.',
    ],
  },
  {
    title: 'Bedrock, and the address of another API',
    env: { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_BASE_URL: 'https://llm.example' },
    says: [
      set('CLAUDE_CODE_USE_BEDROCK, ANTHROPIC_BASE_URL'),
      'gateway ANTHROPIC_BASE_URL: It is for the API of Anthropic, and CLAUDE_CODE_USE_BEDROCK selects another.',
    ],
  },
  {
    title: 'quotes and a line end that an env file has left',
    env: { ANTHROPIC_API_KEY: '"k"', HTTPS_PROXY: 'http://p:1\n' },
    says: [
      set('ANTHROPIC_API_KEY, HTTPS_PROXY'),
      'proxy HTTPS_PROXY: Its value has blanks, line ends or quotes around it.',
      'gateway ANTHROPIC_API_KEY: Its value has blanks, line ends or quotes around it.',
    ],
  },
  {
    title: 'addresses that are none',
    env: { ANTHROPIC_BASE_URL: 'llm.example', ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: 'socks5://p:1' },
    says: [
      set('ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY, HTTPS_PROXY'),
      'gateway ANTHROPIC_BASE_URL: It is no http or https address.',
      'proxy HTTPS_PROXY: It is no http or https address.',
    ],
  },
  {
    title: 'a password in an address',
    env: { ANTHROPIC_BASE_URL: 'https://u:SECRET@llm.example', ANTHROPIC_API_KEY: 'k' },
    says: [set('ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY'), 'gateway ANTHROPIC_BASE_URL: It has a password in it.'],
  },
  {
    title: 'two proxies',
    env: { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:1' },
    says: [set('HTTPS_PROXY'), 'proxy HTTPS_PROXY, https_proxy: They name different proxies.'],
  },
  {
    title: 'a gateway on this machine behind a proxy',
    env: { HTTPS_PROXY: 'http://u:SECRET@p:1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000', ANTHROPIC_AUTH_TOKEN: 't' },
    says: [
      set('ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, HTTPS_PROXY'),
      'proxy ANTHROPIC_BASE_URL, NO_PROXY: The gateway is on this machine, and its requests may go to the proxy.',
    ],
  },
  {
    title: 'the same, and an exception for it',
    env: {
      HTTPS_PROXY: 'http://p:1',
      NO_PROXY: 'x, 127.0.0.1',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000',
      ANTHROPIC_AUTH_TOKEN: 't',
    },
    says: [set('ANTHROPIC_BASE_URL, ANTHROPIC_AUTH_TOKEN, HTTPS_PROXY, NO_PROXY')],
  },
  { title: 'a certificate', env: { NODE_EXTRA_CA_CERTS: 'FILE' }, says: [set('NODE_EXTRA_CA_CERTS')] },
  {
    title: 'a device in the place of a certificate, which has no end',
    env: { NODE_EXTRA_CA_CERTS: '/dev/zero' },
    says: [
      set('NODE_EXTRA_CA_CERTS'),
      'certificate NODE_EXTRA_CA_CERTS: Its file cannot be read, so it does not count.',
    ],
  },
  {
    title: 'a key in the place of its path',
    env: { CLAUDE_CODE_CLIENT_CERT: 'FILE', CLAUDE_CODE_CLIENT_KEY: '-----BEGIN PRIVATE KEY-----\nSECRET' },
    says: [
      set('CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY'),
      'certificate CLAUDE_CODE_CLIENT_KEY: It has a PEM block in it, and must be the path of a file.',
    ],
  },
  {
    title: 'certificates that do not count',
    env: { NODE_EXTRA_CA_CERTS: '/nowhere.pem', CLAUDE_CODE_CLIENT_CERT: '/dev/null' },
    says: [
      set('NODE_EXTRA_CA_CERTS, CLAUDE_CODE_CLIENT_CERT'),
      'certificate NODE_EXTRA_CA_CERTS: Its file cannot be read, so it does not count.',
      'certificate CLAUDE_CODE_CLIENT_CERT: Its file cannot be read, so it does not count.',
      'certificate CLAUDE_CODE_CLIENT_CERT, CLAUDE_CODE_CLIENT_KEY: One is set without the other.',
    ],
  },
  {
    title: 'certificates that are not checked',
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    says: [
      'certificate NODE_TLS_REJECT_UNAUTHORIZED: Certificates are not checked: anybody on the way can read the prompts and the key.',
    ],
  },
  {
    title: 'variables of an outer session',
    env: {
      CLAUDECODE: '1',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_CODE_MESSAGING_TOKEN: 'SECRET',
      CLAUDE_CONFIG_DIR: '/c',
    },
    says: [
      'nested CLAUDECODE, CLAUDE_CODE_ENTRYPOINT, CLAUDE_CODE_MESSAGING_TOKEN: This program runs inside Claude Code. query() hands these on, and a CLI takes itself for a part of that session.',
    ],
  },
  { title: 'an entry point of one’s own', env: { CLAUDE_CODE_ENTRYPOINT: 'my-app' }, says: [] },
];
