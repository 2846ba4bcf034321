/** Which sessions a list shows, what it calls one without a text, and whose sessions are in a folder that two directories share. */
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as e from './entries.mjs';

const { user, assistant, attachment, boundary, result, summary, uuid } = e;
const text = (words) => ({ type: 'text', text: words });
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } };
const large = (block) => ({ ...block, source: { ...block.source, data: 'A'.repeat(100_000) } });
const queued = (n, parent, prompt) =>
  attachment(n, parent, { cwd: '/w', attachment: { type: 'queued_command', prompt, commandMode: 'prompt' } });

/** Contents of a first prompt. */
const contents = {
  'an image': [image],
  'a document': [pdf],
  'a document with a title': [{ ...pdf, title: 'Report' }],
  'a document of text': [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }],
  'two images': [image, image],
  'an image by URL': [{ type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }],
  'a document and an image': [pdf, image],
  'an image and a text': [image, text('look')],
  'a text and an image': [text('look'), image],
  'an image and an empty text': [text('  '), image],
  'an image and a tag': [text('<ide_selection>x</ide_selection>'), image],
  'an image and a command': [image, text('<command-name>/x</command-name>')],
  'an image and an interrupt': [image, text('[Request interrupted by user]')],
  'an image and output of a command': [text('<local-command-stdout>x</local-command-stdout>'), image],
  'an image beside a tool result': [image, { type: 'tool_result', tool_use_id: 't', content: 'x' }],
  'a tool result with an image': [{ type: 'tool_result', tool_use_id: 't', content: [image] }],
  'a block of another kind': [{ type: 'audio' }],
  'an image and a block of another kind': [{ type: 'audio' }, image],
  'an image and null': [null, image],
  'no block': [],
  nothing: null,
  'an empty text': [text('')],
  'an empty string': '',
  'an image without a source': [{ type: 'image' }],
};
const flags = ['isMeta', 'isCompactSummary', 'isVisibleInTranscriptOnly', 'isSynthetic', 'isSidechain'];

const prompts = {
  ...Object.fromEntries(Object.entries(contents).map(([name, content]) => [name, [user(1, null, content)]])),
  ...Object.fromEntries(flags.map((flag) => [`an image, ${flag}`, [user(1, null, [image], { [flag]: true })]])),
  'an image by a task': [user(1, null, [image], { origin: { kind: 'task-notification' } })],
  'an image, then a text': [user(1, null, [image]), assistant(2, 1, 'x'), user(3, 2, 'second')],
  'an image, then a command': [user(1, null, [image]), user(2, 1, '<command-name>/x</command-name>')],
  'a command, then an image': [user(1, null, '<command-name>/x</command-name>'), user(2, 1, [image])],
  'a document, then an image': [user(1, null, [pdf]), assistant(2, 1, 'x'), user(3, 2, [image])],
  'a tool result, then an image': [result(1, null, 't'), user(2, 1, [image])],
  'an interrupt, then an image': [user(1, null, '[Request interrupted by user]'), user(2, 1, [image])],
  'an image that was interrupted': [user(1, null, [image]), user(2, 1, [text('[Request interrupted by user]')])],
  'a note of where the image is': [
    user(1, null, [image]),
    user(2, 1, [text('[Image: source: /a.png]')], { isMeta: true }),
  ],
  'an image with an empty last prompt': [{ type: 'last-prompt', lastPrompt: '' }, user(1, null, [image])],
  'an image with a title': [{ type: 'custom-title', customTitle: 'T' }, user(1, null, [image])],
  'an image with a summary': [{ type: 'summary', summary: 'S' }, user(1, null, [image])],
  'an image behind a compaction': [boundary(1, null, null), summary(2, 1), user(3, 2, [image])],
  'a tool result only': [result(1, null, 't')],
  'a queued prompt only': [queued(1, null, 'q')],
  'a queued image only': [queued(1, null, [image])],
  'an image, then a queued prompt': [user(1, null, [image]), queued(2, 1, 'q')],
  'a summary only': [summary(1, null)],
  'an interrupt only': [user(1, null, [text('[Request interrupted by user]')])],
  'an answer only': [assistant(1, null, 'a')],
  'a large image': [user(1, null, [large(image)]), assistant(2, 1, 'x')],
  'a large document': [user(1, null, [large(pdf)])],
  'a text and a large image': [user(1, null, [text('hi'), large(image)])],
  'a large image, then a text': [user(1, null, [large(image)]), user(2, 1, 'second')],
  'a large tool result': [user(1, null, [{ type: 'tool_result', tool_use_id: 't', content: 'y'.repeat(100_000) }])],
  'an image, spaced': '{"type": "user", "message": {"content": [{"type": "image"}]}}\n',
  'an image, cut': '{"type":"user","message":{"role":"user","content":[{"type":"image"},{"ty',
};

/** From every entry of a stored session, not from its ends (D-114): a line is not cut there. */
const isCut = (name) => /large/.test(name);

/** @param tools - What `compare.mjs` has: `base`, `compare`, `put`, `clear`. */
export async function listings({ base, compare, put, clear }) {
  for (const [name, lines] of Object.entries(prompts)) {
    clear();
    put(lines);
    await compare(`prompt: ${name}`, (sdk) => sdk.getSessionInfo(e.SESSION));
    await compare(`prompt, by directory: ${name}`, (sdk) => sdk.getSessionInfo(e.SESSION, { dir: '/w' }));
    await compare(`prompt, list: ${name}`, (sdk) => sdk.listSessions({ dir: '/w' }));
    await compare(`prompt, page: ${name}`, (sdk) => sdk.listSessions({ limit: 1, includeProgrammatic: false }));
    if (typeof lines === 'string' || isCut(name)) continue;
    const key = { projectKey: '-w', sessionId: e.SESSION };
    await compare(`prompt, fold: ${name}`, (sdk) => sdk.foldSessionSummary(undefined, key, lines, { mtime: 5 }));
    const store = {
      append: async () => {},
      load: async () => structuredClone(lines),
      listSessions: async () => [{ sessionId: e.SESSION, mtime: 5 }],
    };
    const options = { dir: '/w', sessionStore: store };
    await compare(`prompt, stored: ${name}`, (sdk) => sdk.getSessionInfo(e.SESSION, options));
    await compare(`prompt, stored list: ${name}`, (sdk) => sdk.listSessions(options));
  }
  await compare(
    'title of a fork of an image',
    async (sdk) => {
      const { sessionId } = await sdk.forkSession(e.SESSION);
      return (await sdk.getSessionInfo(sessionId)).customTitle;
    },
    () => {
      clear();
      put([user(1, null, [image])]);
    },
  );
  await compare('an image in a store with summaries', async (sdk) => {
    const sessionStore = new sdk.InMemorySessionStore();
    await sessionStore.append({ projectKey: '-w', sessionId: e.SESSION }, [user(1, null, [image])]);
    return (await sdk.listSessions({ dir: '/w', sessionStore })).map((row) => row.summary);
  });
  await sharedFolders({ base: realpathSync(base), compare, put, clear });
}

const encoded = (path) => path.replace(/[^a-zA-Z0-9]/g, '-');

function nameOf(path) {
  const name = encoded(path);
  if (name.length <= 200) return name;
  const hash = [...path].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 0);
  return `${name.slice(0, 200)}-${Math.abs(hash).toString(36)}`;
}

async function sharedFolders({ base, compare, put, clear }) {
  const at = (...names) => join(base, 'shared', ...names);
  const deep = (name) => at('l'.repeat(120), 'm'.repeat(120), name);
  rmSync(at(), { recursive: true, force: true });
  for (const path of [at('a.b', 'sub'), at('a_b'), at('é'), at('ü'), at('elsewhere'), deep('a.b'), deep('a_b')]) {
    mkdirSync(path, { recursive: true });
  }
  symlinkSync(at('a_b'), at('a+b'));
  symlinkSync(at('elsewhere'), at('a b'));
  symlinkSync(at('a.b'), at('a,b'));
  symlinkSync(at('a_b'), at('link'));
  const began = (cwd, fields) => ({ ...user(1, null, 'hi'), cwd, ...fields });
  const later = (cwd) => ({ ...assistant(2, 1, 'x'), cwd });
  const fill = { ...assistant(3, 2, 'y'.repeat(70_000)), cwd: undefined };
  const own = at('a.b');
  const other = at('a_b');

  /** Name: the directory, the lines, the folder if not the directory's. */
  const kinds = {
    own: [own, [began(own)]],
    'a namesake': [own, [began(other)]],
    'a namesake, own later': [own, [began(other), later(own)]],
    'own, a namesake later': [own, [began(own), later(other)]],
    'a namesake that is gone': [own, [began(at('a-b'))]],
    'asked for a directory that is gone': [at('a-b'), [began(other)]],
    'gone, own': [at('a-b'), [began(at('a-b'))]],
    'another name': [own, [began('/somewhere/else')]],
    'another name, a namesake later': [own, [began('/somewhere/else'), later(other)]],
    'a subfolder': [own, [began(at('a.b', 'sub'))]],
    'the folder above': [own, [began(at())]],
    'a slash at the end': [own, [began(`${own}/`)]],
    'a namesake with a slash at the end': [own, [began(`${other}/`)]],
    'other letters': [own, [began(at('A.b'))]],
    'dots in the path': [own, [began(`${at()}/./a.b`)]],
    'a Windows path': [own, [began('C:\\w\\a.b')]],
    'a relative path': [own, [began('a_b')]],
    'letters outside ASCII': [at('é'), [began(at('ü'))]],
    'decomposed letters': [at('é'), [began(at('é').normalize('NFD'))]],
    none: [own, [began(undefined)]],
    'an empty one': [own, [began('')]],
    'an empty one, then a namesake': [own, [began(''), later(other)]],
    'a number, then a namesake': [own, [began(5), later(other)]],
    'none, then a namesake': [own, [began(undefined), later(other)]],
    'in an attachment': [own, [attachment(2, null, { cwd: other }), began(own)]],
    'in a line of another type': [own, [{ type: 'mode', cwd: other }, began(own)]],
    'behind a title': [own, [{ type: 'custom-title', customTitle: 'T' }, began(other)]],
    'a title only': [own, [{ type: 'custom-title', customTitle: 'T' }]],
    'an image of a namesake': [own, [began(other, { message: { role: 'user', content: [image] } })]],
    'with a space after the colon': [own, JSON.stringify(began(other)).replace('"cwd":', '"cwd": ')],
    'with an escape': [own, JSON.stringify(began(other)).replace('a_b', 'a\\u005fb')],
    'in a broken line': [own, `{"cwd":${JSON.stringify(other)},\n${JSON.stringify(began(own))}\n`],
    'a link to a namesake': [own, [began(at('a+b'))]],
    'a link to the directory': [own, [began(at('a,b'))]],
    'a link to elsewhere': [own, [began(at('a b'))]],
    'a link of another name': [own, [began(at('link'))]],
    'asked by a link, the target': [at('link'), [began(other)], nameOf(other)],
    'asked by a link, the link': [at('link'), [began(at('link'))], nameOf(other)],
    'asked by a link, a namesake': [at('link'), [began(own)], nameOf(other)],
    'a long name': [deep('a.b'), [began(deep('a.b'))]],
    'a long namesake': [deep('a.b'), [began(deep('a_b'))]],
    'a long name that was moved': [deep('a.b'), [began('/q')]],
    'a long name, another hash': [deep('a.b'), [began(deep('a.b'))], `${nameOf(deep('a.b')).slice(0, 200)}-zz`],
    'a long name, another hash, moved': [deep('a.b'), [began('/q')], `${nameOf(deep('a.b')).slice(0, 200)}-zz`],
    'a long name, the hash of a namesake': [deep('a.b'), [began(deep('a_b'))], nameOf(deep('a_b'))],
    'a long name, another hash, a namesake that is gone': [
      deep('a.b'),
      [began(deep('a-b'))],
      `${nameOf(deep('a.b')).slice(0, 200)}-zz`,
    ],
    'a long name, another hash, no directory': [
      deep('a.b'),
      [began(undefined)],
      `${nameOf(deep('a.b')).slice(0, 200)}-zz`,
    ],
    'a namesake behind a long prompt': [own, [began(undefined), fill, later(other)]],
    'own behind a long prompt': [own, [began(undefined), fill, later(own)]],
  };
  const options = [{}, { limit: 1 }, { includeWorktrees: false }];
  for (const [name, [dir, lines, project = nameOf(dir)]] of Object.entries(kinds)) {
    clear();
    put(lines, { project });
    for (const more of options) {
      await compare(`shared folder ${JSON.stringify(more)}: ${name}`, (sdk) => sdk.listSessions({ dir, ...more }));
    }
    await compare(
      `shared folder, row: ${name}`,
      async (sdk) => (await sdk.getSessionInfo(e.SESSION, { dir }))?.summary,
    );
    await compare(`shared folder, messages: ${name}`, (sdk) => sdk.getSessionMessages(e.SESSION, { dir }));
  }
  // A session that is named by its id is found.
  for (const change of ['renameSession', 'tagSession', 'forkSession', 'archiveSession', 'deleteSession']) {
    await compare(
      `shared folder, ${change}`,
      async (sdk) => {
        await sdk[change](e.SESSION, ...(/rename|tag/.test(change) ? ['x'] : []), { dir: own });
      },
      () => {
        clear();
        put([began(other)], { project: nameOf(own) });
      },
    );
  }
  clear();
  [own, other, at('a-b'), '/q'].forEach((cwd, index) => {
    put([began(cwd)], { id: uuid(index + 1), project: nameOf(own) });
  });
  for (const dir of [own, other]) {
    await compare(`shared folder of ${dir.slice(-3)}`, async (sdk) => {
      return (await sdk.listSessions({ dir })).map(({ sessionId }) => sessionId).sort();
    });
  }
  await compare('shared folder, everywhere', async (sdk) => (await sdk.listSessions()).length);
  await compare('shared folder in a store', async (sdk) => {
    const sessionStore = new sdk.InMemorySessionStore();
    const key = { projectKey: nameOf(own), sessionId: e.SESSION };
    await sessionStore.append(key, [began(other)]);
    return (await sdk.listSessions({ dir: own, sessionStore })).length;
  });
}
