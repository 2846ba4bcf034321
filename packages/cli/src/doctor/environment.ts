import { nestedVariables } from '../nested-session.js';
import { type Finding, warned } from './finding.js';
import { readRegularFile } from './read-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Cloud providers: the variable that selects each, and those that are about it alone. */
const PROVIDERS = [
  { selectedBy: 'CLAUDE_CODE_USE_BEDROCK', own: ['ANTHROPIC_BEDROCK_BASE_URL', 'AWS_BEARER_TOKEN_BEDROCK'] },
  { selectedBy: 'CLAUDE_CODE_USE_VERTEX', own: ['ANTHROPIC_VERTEX_BASE_URL', 'ANTHROPIC_VERTEX_PROJECT_ID'] },
  {
    selectedBy: 'CLAUDE_CODE_USE_FOUNDRY',
    own: ['ANTHROPIC_FOUNDRY_BASE_URL', 'ANTHROPIC_FOUNDRY_RESOURCE', 'ANTHROPIC_FOUNDRY_API_KEY'],
  },
];
const DIRECT = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN'];
const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];
const ADDRESSES = [
  ...['ANTHROPIC_BASE_URL', 'ANTHROPIC_BEDROCK_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL', 'ANTHROPIC_FOUNDRY_BASE_URL'],
];
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY'];
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'CLAUDE_CODE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_KEY'];
const PEM = '-----BEGIN ';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What the environment says about the way to the model. Names variables, never their values. Asks nobody. */
export function environmentFindings(env: Environment): readonly Finding[] {
  return [...gateways(env), ...addresses(env), ...proxies(env), ...certificates(env), ...nested(env)];
}

function gateways(env: Environment): readonly Finding[] {
  const set = (name: string): boolean => Boolean(env[name]?.trim());
  const selected = PROVIDERS.filter(({ selectedBy }) => /^(?:1|true|yes|on)$/i.test(env[selectedBy]?.trim() ?? ''));
  const about = [...PROVIDERS.flatMap(({ selectedBy, own }) => [selectedBy, ...own]), ...DIRECT, ...KEYS];
  const known = [...new Set([...about, 'ANTHROPIC_CUSTOM_HEADERS', ...PROXIES, 'NO_PROXY', ...CERTIFICATES])].filter(
    set,
  );
  const findings: Finding[] = [];
  if (known.length > 0) {
    const where = known.join(', ');
    const found = known.length === 1 ? 'It is set.' : 'These are set.';
    findings.push({ name: 'gateway', status: 'passed', where, found, fix: undefined });
  }
  if (selected.length > 1) {
    const where = selected.map(({ selectedBy }) => selectedBy).join(', ');
    findings.push(warned('gateway', where, 'Several providers are selected at once.', 'Unset all but one of them.'));
  }
  for (const { selectedBy, own } of PROVIDERS) {
    const idle = own.filter(set);
    if (idle.length === 0 || selected.some((provider) => provider.selectedBy === selectedBy)) continue;
    const isOne = idle.length === 1;
    const found = `Without ${selectedBy} ${isOne ? 'it has' : 'they have'} no effect.`;
    const fix = `Set ${selectedBy}=1, or unset ${isOne ? 'it' : 'them'}.`;
    findings.push(warned('gateway', idle.join(', '), found, fix));
  }
  const [provider] = selected;
  const idle = provider === undefined ? [] : DIRECT.filter(set);
  if (provider !== undefined && idle.length > 0) {
    const isOne = idle.length === 1;
    const found = `${isOne ? 'It is' : 'They are'} for the API of Anthropic, and ${provider.selectedBy} selects another.`;
    const fix = `Unset ${isOne ? 'it' : 'them'}, or ${provider.selectedBy}.`;
    findings.push(warned('gateway', idle.join(', '), found, fix));
  }
  if (selected.length === 0 && set('ANTHROPIC_API_KEY') && set('ANTHROPIC_AUTH_TOKEN')) {
    const found = 'Both are set, and both are sent.';
    findings.push(
      warned('gateway', 'ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN', found, 'Unset the one that is not meant.'),
    );
  }
  if (selected.length === 0 && set('ANTHROPIC_BASE_URL') && !KEYS.some(set)) {
    const found = 'A gateway is named, and no token for it.';
    findings.push(warned('gateway', 'ANTHROPIC_BASE_URL', found, 'Set ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY.'));
  }
  return findings;
}

function addresses(env: Environment): readonly Finding[] {
  return [...ADDRESSES, ...PROXIES, ...PROXIES.map((name) => name.toLowerCase()), ...KEYS].flatMap((name) => {
    const value = env[name] ?? '';
    if (value.trim() === '') return [];
    const kind = PROXIES.includes(name.toUpperCase()) ? 'proxy' : 'gateway';
    if (value !== value.trim() || /^(["']).*\1$/s.test(value)) {
      const fix = 'Take them out, where the variable is set.';
      return [warned(kind, name, 'Its value has blanks, line ends or quotes around it.', fix)];
    }
    if (KEYS.includes(name)) return [];
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      const example = `${name}=${kind === 'proxy' ? 'http' : 'https'}://host:port`;
      return [warned(kind, name, 'It is no http or https address.', `Give one such as ${example}.`)];
    }
    if (kind === 'proxy' || url.password === '') return [];
    return [warned(kind, name, 'It has a password in it.', 'Put it into ANTHROPIC_AUTH_TOKEN or a header.')];
  });
}

function proxies(env: Environment): readonly Finding[] {
  const findings = PROXIES.flatMap((name) => {
    const [upper, lower] = [env[name], env[name.toLowerCase()]];
    if (!upper || !lower || upper === lower) return [];
    const where = `${name}, ${name.toLowerCase()}`;
    return [warned('proxy', where, 'They name different proxies.', 'Unset one of them.')];
  });
  const hasProxy = PROXIES.some((name) => env[name] || env[name.toLowerCase()]);
  const exceptions = `${env.NO_PROXY ?? ''},${env.no_proxy ?? ''}`.split(',').map((each) => each.trim());
  for (const name of ADDRESSES) {
    const value = env[name] ?? '';
    const host = URL.canParse(value) ? new URL(value).hostname : '';
    if (!hasProxy || !LOOPBACK.test(host) || exceptions.some((each) => each === host || each === '*')) continue;
    const found = 'The gateway is on this machine, and its requests may go to the proxy.';
    findings.push(warned('proxy', `${name}, NO_PROXY`, found, `Add its host to NO_PROXY: NO_PROXY=${host}.`));
  }
  return findings;
}

function certificates(env: Environment): readonly Finding[] {
  const findings = CERTIFICATES.flatMap((name) => {
    const file = env[name];
    if (!file) return [];
    // A value that is not a path may be the key itself, so it is not shown.
    if (file.includes(PEM)) {
      const found = 'It has a PEM block in it, and must be the path of a file.';
      return [warned('certificate', name, found, 'Write the block into a file, and name that.')];
    }
    const { text } = readRegularFile(file);
    if (text === undefined) {
      return [warned('certificate', name, 'Its file cannot be read, so it does not count.', 'Correct the path.')];
    }
    if (text.includes(PEM)) return [];
    return [
      warned('certificate', name, 'Its file has no PEM block.', 'Convert it: openssl x509 -inform der -in FILE.'),
    ];
  });
  const [, certificate, key] = CERTIFICATES;
  if (certificate && key && Boolean(env[certificate]) !== Boolean(env[key])) {
    const found = 'One is set without the other.';
    findings.push(warned('certificate', `${certificate}, ${key}`, found, 'Set both, or none.'));
  }
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const found = 'Certificates are not checked: anybody on the way can read the prompts and the key.';
    const fix = 'Unset it, and name the certificate of your network in NODE_EXTRA_CA_CERTS.';
    findings.push(warned('certificate', 'NODE_TLS_REJECT_UNAUTHORIZED', found, fix));
  }
  return findings;
}

function nested(env: Environment): readonly Finding[] {
  const names = nestedVariables(env);
  if (names.length === 0) return [];
  const found =
    'This program runs inside Claude Code. query() hands these on, and a CLI takes itself for a part of that session.';
  const fix = 'Leave them out of the option `env`. `claudewire run` does, and the adapter leaves CLAUDECODE out.';
  return [warned('nested', names.join(', '), found, fix)];
}
