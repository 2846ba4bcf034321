import { custom } from '../checks.js';
import { Problem } from './problem.js';

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ADDRESS = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|::ffff:127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;
/** What a proxy adds: the peer is on this machine, and the client may be anywhere. */
const PASSED_ON = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|cf-connecting-ip)$/;

/** Another form would never be equal to what a request has, and whoever set it would be refused. */
export const HOST_NAME = custom(
  'a name as browsers send it in `Host`, such as `app.example` or `app.example:8080`: in lower case, without a scheme, ' +
    'a path, a wildcard or the port 80',
  (value) => typeof value === 'string' && !value.includes('*') && urlOf(`http://${value}`)?.host === value,
);
/** As {@link HOST_NAME}. Origins of other schemes, such as `capacitor://localhost`, have no form of their own. */
export const ORIGIN = custom(
  'an origin as browsers send it in `Origin`, such as `https://app.example`: in lower case, with a scheme, without a ' +
    'path, a slash at the end, a wildcard or the port of its scheme',
  (value) => typeof value === 'string' && !value.includes('*') && isOrigin(value),
);

/** Else a page on a name that resolves to this machine (DNS rebinding) could call as a page of this server. */
export function assertHost(request: Request, url: URL, allowed: readonly string[] | undefined): void {
  const sent = request.headers.get('host') ?? url.host;
  const isAllowed = (name: string): boolean =>
    allowed?.includes(name) ?? LOOPBACK_NAMES.includes(name.replace(/:\d{1,5}$/, ''));
  if (isAllowed(url.host) && isAllowed(sent)) return;
  throw new Problem('forbidden_host', 'This server does not go by that name. Add it to `allowedHosts`.');
}

export function assertOrigin(request: Request, url: URL, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  const isForeign = origin === null ? request.headers.get('sec-fetch-site') === 'cross-site' : origin !== url.origin;
  if (!isForeign || (origin !== null && allowed.includes(origin))) return;
  throw new Problem('forbidden_origin', 'Pages of other origins may not call. Add theirs to `allowedOrigins`.');
}

/** Whether a program on this machine asks, by a name of this machine, and not a proxy for somebody else. */
export function isFromHere(request: Request, url: URL, remoteAddress: string | undefined): boolean {
  if ([...request.headers.keys()].some((name) => PASSED_ON.test(name))) return false;
  return LOOPBACK_NAMES.includes(url.hostname) && LOOPBACK_ADDRESS.test(remoteAddress ?? '');
}

function isOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return urlOf(text)?.origin === text;
  return text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^/?#\s]+$/.test(text);
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
