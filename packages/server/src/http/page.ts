import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { problemResponse } from './problem.js';

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' } as const;
/** Files of the page, under `page/`. */
export const PAGE_FILES = [
  ...(['page.css', 'api.js', 'cards.js', 'dom.js', 'end-keeper.js', 'hub.js', 'page.js', 'stream.js'] as const),
  ...(['tool-cards.js', 'transcript.js', 'view.js', 'worker.js'] as const),
] as const;

/** @param script - What `script-src` allows. */
const headersFor = (script: string) => ({
  'content-security-policy':
    `default-src 'none'; script-src ${script}; style-src 'self'; connect-src 'self'; worker-src 'self'; ` +
    "img-src 'none'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
});

/** The files of the page by their paths, read once. */
export function pageFiles(): ReadonlyMap<string, () => Response> {
  const html = textOf('index.html');
  // The page alone sees whether the slash after a path prefix is missing: whoever mounts the handler takes the prefix away.
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  const files = PAGE_FILES.map((name) => {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
    return [`/page/${name}`, fileOf(textOf(name), type, "'self'")] as const;
  });
  return new Map([['/', fileOf(html, TYPES.html, `'self' 'sha256-${hash}'`)], ...files]);
}

/** What was refused, for a browser that opens the page: a text that can be read, with the status of the problem. */
export async function problemPage(error: unknown): Promise<Response> {
  const problem = problemResponse(error);
  const { code, detail } = (await problem.json()) as { code: string; detail: string };
  const [title, text] =
    code === 'unauthorized'
      ? ['Sign in first', `${detail} Then reload this page.`]
      : ['The page cannot be shown', detail];
  const headers = new Headers(problem.headers);
  for (const [name, value] of Object.entries(headersFor("'none'"))) headers.set(name, value);
  headers.set('content-type', 'text/html; charset=utf-8');
  headers.set('cache-control', 'no-store');
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>`;
  return new Response(`${html}<p>${escaped(text)}</p></html>`, { status: problem.status, headers });
}

/** Whether a browser opens it, for somebody to read. */
export function wantsPage(request: Request): boolean {
  return request.headers.get('accept')?.toLowerCase().includes('text/html') === true;
}

function fileOf(text: string, type: string, script: string): () => Response {
  const headers = { ...headersFor(script), 'content-type': `${type}; charset=utf-8` };
  return () => new Response(text, { headers });
}

function textOf(name: string): string {
  return readFileSync(new URL(`../page/${name}`, import.meta.url), 'utf8');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
