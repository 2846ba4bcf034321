import { readFileSync } from 'node:fs';

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;
const NAMES = ['index.html', 'page.css', 'api.js', 'cards.js', 'dom.js', 'page.js', 'stream.js', 'view.js'] as const;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** For a browser that nobody knows: a text that can be read, not a problem in JSON. */
export function signInPage(): Response {
  const text =
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in first</title>' +
    '<h1>Sign in first</h1><p>This server does not know who you are. Sign in where you do it for this site, and reload.</p></html>';
  const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return new Response(text, { status: 401, headers });
}

/** The files of the page by their paths, read once. */
export function pageFiles(): ReadonlyMap<string, () => Response> {
  return new Map(
    NAMES.map((name) => {
      const text = readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8');
      const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
      const headers = { ...HEADERS, 'content-type': `${type}; charset=utf-8` };
      return [name === 'index.html' ? '/' : `/page/${name}`, () => new Response(text, { headers })] as const;
    }),
  );
}
