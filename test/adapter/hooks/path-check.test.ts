import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookRun } from '../../../src/adapter/hooks/hook-run.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import { Workspace } from '../../../src/adapter/state/slices.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { folderWith, plant } from './folder.js';
import { makeRun, reasonOf, type TestRun, updatedInputOf } from './make-run.js';

const TREE = {
  work: {
    src: { 'a.ts': '' },
    'out-link': ['../outside'],
    'file-link': ['../outside/secret.txt'],
    'in-link': ['src'],
    'nowhere-link': ['../outside/not-yet.txt'],
    'chain-link': ['out-link'],
    loop: ['loop'],
    '..odd': { 'a.ts': '' },
  },
  'work-evil': { 'a.ts': '' },
  extra: { 'b.ts': '' },
  outside: { 'secret.txt': 's', deep: {} },
  host: { project: { 'c.ts': '', up: ['../../outside'] } },
} as const;

interface Place extends TestRun {
  readonly folder: string;
  readonly root: string;
}

/** A workspace at `work`, with its surroundings. */
function workspace(overrides: Partial<HookRun> = {}, root = 'work'): Place {
  const folder = folderWith(TREE);
  const run = makeRun({
    insideDirs: [join(folder, root), join(folder, 'extra')],
    mounts: [
      { hostPath: join(folder, 'host', 'project'), copyPath: join(folder, root, 'project') },
      { hostPath: join(folder, 'host', 'project', 'sub'), copyPath: join(folder, root, 'sub') },
    ],
    ...overrides,
  });
  run.session.mutate(Workspace).seed({ root: join(folder, root) });
  return { ...run, folder, root: join(folder, root) };
}

describe('relative paths', () => {
  test('a relative path becomes the absolute one below the root, in a copy of the input (AD-137)', async () => {
    const { pre, root, logged } = workspace();
    const input = Object.freeze({ file_path: 'src/a.ts', offset: 3, limit: 5 });
    const output = await pre('Read', input);
    expect(output).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        updatedInput: { file_path: join(root, 'src/a.ts'), offset: 3, limit: 5 },
      },
    });
    expect(input).toEqual({ file_path: 'src/a.ts', offset: 3, limit: 5 });
    expect(logged.at(-1)).toEqual({
      level: 'debug',
      event: 'hook.path_rewritten',
      context: { toolName: 'Read', field: 'file_path' },
    });
  });

  const fields = [
    ['Read', 'file_path'],
    ['Write', 'file_path'],
    ['Edit', 'file_path'],
    ['MultiEdit', 'file_path'],
    ['NotebookEdit', 'notebook_path'],
    ['Glob', 'path'],
    ['Grep', 'path'],
  ] as const;
  for (const [tool, field] of fields) {
    test(`${tool}: \`${field}\` is the path`, async () => {
      const { pre, root } = workspace();
      const given: JsonObject = { file_path: 1, notebook_path: 1, path: 1, [field]: 'src' };
      expect(updatedInputOf(await pre(tool, given))).toEqual({ ...given, [field]: join(root, 'src') });
    });
  }

  test.each([
    ['Artifact', { file_path: 'src', out_dir: 'out' }, { file_path: 'ROOT/src', out_dir: 'ROOT/out' }],
    ['Artifact', { file_paths: ['src', 'ROOT/b', 1] }, { file_paths: ['ROOT/src', 'ROOT/b', 1] }],
    ['Artifact', { file_paths: ['ROOT/b'] }, undefined],
    ['Artifact', { file_path: 'src', file_paths: ['a', '../../x'] }, 'deny'],
    ['Artifact', { action: 'read_asset', out_dir: '/etc' }, 'deny'],
    ['Artifact', { file_path: '/etc/passwd' }, 'deny'],
    ['Projects', { method: 'project_read', local_path: 'a.md' }, { method: 'project_read', local_path: 'ROOT/a.md' }],
    ['Projects', { method: 'project_write', local_path: '~/.ssh/id' }, 'deny'],
  ] as const)('the paths of %s with %j are judged', async (tool, input, expected) => {
    const { pre, root } = workspace({ outsideWorkspacePaths: 'deny' });
    const placed = (value: unknown) => value && JSON.parse(JSON.stringify(value).replaceAll('ROOT', root));
    const output = await pre(tool, placed(input));
    if (expected === 'deny') expect(reasonOf(output)).toContain('The path');
    else expect(updatedInputOf(output)).toEqual(placed(expected));
  });

  test('a relative path that leaves the root is denied (AD-139)', async () => {
    const { pre } = workspace();
    for (const path of ['../../outside', '../new.txt', '..', 'src/../../new.txt', 'a/b/../../../c']) {
      expect(reasonOf(await pre('Write', { file_path: path, content: 'c' }))).toContain(path);
    }
  });

  test('without a workspace a relative path stays as it is (AD-144)', async () => {
    const { pre } = makeRun();
    expect(await pre('Read', { file_path: 'src/a.ts' })).toEqual({});
    const isolated = makeRun({ outsideWorkspacePaths: 'deny' });
    expect(await isolated.pre('Read', { file_path: 'src/a.ts' })).toEqual({});
  });
});

describe('absolute paths', () => {
  test('a path inside the root is left alone (AD-138)', async () => {
    const { pre, root } = workspace({ outsideWorkspacePaths: 'deny' });
    const edit = { file_path: join(root, 'src/a.ts'), old_string: 'a', new_string: 'b' };
    expect(await pre('Edit', edit)).toEqual({});
  });

  test('a path in an extra directory is left alone', async () => {
    const { pre, folder } = workspace({ outsideWorkspacePaths: 'deny' });
    expect(await pre('Read', { file_path: join(folder, 'extra', 'b.ts') })).toEqual({});
  });

  test('a path below a mounted host directory becomes that of its copy (AD-140)', async () => {
    for (const outsideWorkspacePaths of ['allow', 'deny'] as const) {
      const { pre, folder, root } = workspace({ outsideWorkspacePaths });
      const asked = (path: string) => pre('Read', { file_path: join(folder, 'host', path) });
      expect(updatedInputOf(await asked('project/c.ts'))).toEqual({ file_path: join(root, 'project', 'c.ts') });
      expect(updatedInputOf(await asked('project'))).toEqual({ file_path: join(root, 'project') });
      expect(updatedInputOf(await asked('project/sub/d.ts')), 'the innermost mount').toEqual({
        file_path: join(root, 'sub', 'd.ts'),
      });
      expect(updatedInputOf(await asked('project-evil/c.ts'))).toBe(undefined);
    }
  });

  test('of several mounts the innermost counts, in any order, for each access, at any depth (AD-140)', async () => {
    const folder = folderWith(TREE);
    const root = join(folder, 'work');
    const mount = (host: string, copy: string) => ({
      hostPath: join(folder, 'host', host),
      copyPath: join(root, copy),
    });
    const mounts = [
      mount('project', 'a'),
      mount('project/sub/inner', 'c/deep'),
      mount('elsewhere', 'd'),
      mount('project/sub', 'b'),
    ];
    for (const order of [mounts, [...mounts].reverse()]) {
      const { pre, session } = makeRun({ insideDirs: [root], mounts: order, outsideWorkspacePaths: 'deny' });
      session.mutate(Workspace).seed({ root });
      for (const [asked, expected] of [
        ['project/x/y/z.ts', 'a/x/y/z.ts'],
        ['project/sub/x/y/z.ts', 'b/x/y/z.ts'],
        ['project/sub/inner/x/y/z.ts', 'c/deep/x/y/z.ts'],
        ['project/sub/inner', 'c/deep'],
        ['project/submarine/z.ts', 'a/submarine/z.ts'],
        ['elsewhere/./x/../ü z.ts', 'd/ü z.ts'],
      ] as const) {
        const path = `  ${folder}/host/${asked}\n`;
        expect(updatedInputOf(await pre('Read', { file_path: path, limit: 2 })), asked).toEqual({
          file_path: join(root, expected),
          limit: 2,
        });
        expect(updatedInputOf(await pre('Write', { file_path: path, content: 'c' })), asked).toEqual({
          file_path: join(root, expected),
          content: 'c',
        });
        expect(updatedInputOf(await pre('Grep', { path, pattern: 'p' })), asked).toEqual({
          path: join(root, expected),
          pattern: 'p',
        });
      }
      const beside = join(folder, 'host', 'other.txt');
      expect(reasonOf(await pre('Write', { file_path: beside }))).toContain('outside the workspace');
    }
  });

  test('a mounted directory is known by another name that leads there, too (AD-140)', async () => {
    const { pre, folder, root } = workspace({ outsideWorkspacePaths: 'deny' });
    symlinkSync(join(folder, 'host'), join(folder, 'alias'));
    const asked = (path: string) => pre('Read', { file_path: join(folder, 'alias', path) });
    expect(updatedInputOf(await asked('project/c.ts'))).toEqual({ file_path: join(root, 'project', 'c.ts') });
    expect(reasonOf(await asked('project/up/secret.txt'))).toBeDefined();
    expect(reasonOf(await asked('other.txt'))).toBeDefined();
  });

  test('a copy whose path leads out of the workspace is denied (AD-140)', async () => {
    const { pre, folder, root } = workspace();
    symlinkSync(join(folder, 'outside'), join(root, 'project'));
    const path = join(folder, 'host', 'project', 'secret.txt');
    expect(reasonOf(await pre('Read', { file_path: path }))).toBeDefined();
  });

  test('a path elsewhere is left alone or denied, as `outsideWorkspacePaths` says (AD-141)', async () => {
    for (const tool of ['Read', 'Write']) {
      const [open, closed] = [
        workspace({ outsideWorkspacePaths: 'allow' }),
        workspace({ outsideWorkspacePaths: 'deny' }),
      ];
      const path = join('outside', 'secret.txt');
      expect(await open.pre(tool, { file_path: join(open.folder, path) })).toEqual({});
      expect(reasonOf(await closed.pre(tool, { file_path: join(closed.folder, path) }))).toContain(
        'outside the workspace',
      );
    }
  });

  test('without a workspace slice, `deny` holds the file tools to the working directories', async () => {
    const folder = folderWith(TREE);
    const { pre } = makeRun({ insideDirs: [join(folder, 'work')], outsideWorkspacePaths: 'deny' });
    expect(await pre('Read', { file_path: join(folder, 'work', 'src', 'a.ts') })).toEqual({});
    expect(await pre('Read', { file_path: 'src/a.ts' })).toEqual({});
    for (const path of ['../outside/secret.txt', join(folder, 'outside'), 'file-link', '~/x']) {
      expect(reasonOf(await pre('Read', { file_path: path })), path).toBeDefined();
    }
  });
});

test('rewriting approves nothing, in any mode (AD-143)', async () => {
  for (const mode of ['bypassPermissions', 'default', 'acceptEdits']) {
    const { pre, root } = workspace();
    const { hookSpecificOutput, ...rest } = await pre(
      'Write',
      { file_path: 'new.ts', content: '' },
      { permission_mode: mode },
    );
    expect(rest).toEqual({});
    expect(hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      updatedInput: { file_path: join(root, 'new.ts'), content: '' },
    });
  }
});

describe('ways out of the workspace', () => {
  /** Relative to the root, or to `FOLDER`, which holds it. Denied in every mode unless `elsewhere`. */
  const escapes: readonly { path: string; elsewhere?: true; name?: string }[] = [
    { path: '..' },
    { path: '../outside/secret.txt' },
    { path: './../outside' },
    { path: 'src/../../outside/secret.txt' },
    { path: 'src/..//../outside' },
    { path: '../work-evil/a.ts', name: 'a folder whose name begins like the root' },
    { path: '../WORK/src/a.ts', name: 'the root in capitals' },
    { path: 'out-link', name: 'a link to a folder outside' },
    { path: 'out-link/secret.txt' },
    { path: 'out-link/new.txt', name: 'a file to be made behind a link' },
    { path: 'file-link' },
    { path: 'file-link ', name: 'a link, with a space that the CLI cuts off' },
    { path: '\tfile-link\n' },
    { path: 'file-link /x/..', name: 'a space that is last only when `..` is resolved' },
    { path: 'chain-link/deep' },
    { path: 'nowhere-link', name: 'a link to a file that does not exist: writing makes it' },
    { path: 'in-link/../out-link/secret.txt' },
    { path: 'loop', name: 'a loop of links' },
    { path: 'loop/a' },
    { path: 'a\0b', name: 'a null byte' },
    { path: `src/${'x'.repeat(300)}`, name: 'a name that no file can have' },
    { path: 'FOLDER/outside/secret.txt', elsewhere: true },
    { path: ' FOLDER/outside/secret.txt', elsewhere: true },
    { path: 'FOLDER/work/../outside/secret.txt', elsewhere: true },
    { path: 'FOLDER/work/file-link', elsewhere: true },
    { path: 'FOLDER/work/file-link ', elsewhere: true },
    { path: 'FOLDER/work/out-link/../outside/secret.txt', elsewhere: true, name: '`..` after a link' },
    { path: 'FOLDER/work-evil/a.ts', elsewhere: true },
    { path: 'FOLDER/WORK/src/a.ts', elsewhere: true },
    { path: '//FOLDER/outside/secret.txt', elsewhere: true },
    { path: '/', elsewhere: true },
    { path: '/proc/self/root/etc/passwd', elsewhere: true },
    { path: '~', elsewhere: true, name: 'the home, as the CLI knows it' },
    { path: '~/.ssh/id_rsa', elsewhere: true },
    { path: ' ~/.ssh/id_rsa', elsewhere: true },
  ];
  for (const { path, elsewhere = false, name = JSON.stringify(path.slice(0, 60)) } of escapes) {
    test(`denied: ${name}`, async () => {
      for (const outsideWorkspacePaths of ['deny', 'allow'] as const) {
        const { pre, folder } = workspace({ outsideWorkspacePaths });
        const asked = path.replace('FOLDER', folder);
        for (const [tool, field] of [
          ['Read', 'file_path'],
          ['Write', 'file_path'],
          ['Grep', 'path'],
        ] as const) {
          const output = await pre(tool, { [field]: asked });
          if (elsewhere && outsideWorkspacePaths === 'allow') expect(output).toEqual({});
          else expect(reasonOf(output), `${tool} ${outsideWorkspacePaths}`).toBeDefined();
        }
      }
    });
  }

  const inside = [
    '.',
    './src//a.ts',
    'src/',
    'src/../src/a.ts',
    '../work/src/a.ts',
    'in-link/a.ts',
    '..odd/a.ts',
    'not/there/yet.ts',
    '..\\outside',
    'src/~/a',
    '$HOME/a',
  ];
  for (const path of inside) {
    test(`still inside: ${JSON.stringify(path)}`, async () => {
      const { pre, root } = workspace({ outsideWorkspacePaths: 'deny' });
      expect(updatedInputOf(await pre('Read', { file_path: path }))).toEqual({
        file_path: join(root, path).replace(/(?<=.)\/$/, ''),
      });
    });
  }

  test('a root that is itself a link is the same place by both names', async () => {
    const { pre, folder, session } = workspace({ outsideWorkspacePaths: 'deny', insideDirs: [] });
    const link = join(folder, 'root-link');
    symlinkSync(join(folder, 'work'), link);
    session.mutate(Workspace).seed({ root: link });
    expect(updatedInputOf(await pre('Read', { file_path: 'src/a.ts' }))).toEqual({ file_path: join(link, 'src/a.ts') });
    for (const name of ['work', 'root-link']) {
      expect(await pre('Read', { file_path: join(folder, name, 'src', 'a.ts') })).toEqual({});
    }
    expect(reasonOf(await pre('Read', { file_path: 'out-link' }))).toBeDefined();
  });

  test('a path that is no text, or empty, is no path', async () => {
    const { pre } = workspace({ outsideWorkspacePaths: 'deny' });
    for (const file_path of [undefined, null, 5, ['/etc/passwd'], '', '  ']) {
      expect(await pre('Read', { file_path })).toEqual({});
    }
    expect(await pre('Bash', { file_path: '/etc/passwd', path: '/etc' })).toEqual({});
  });
});

describe('the pattern of Glob', () => {
  const cases = [
    { pattern: '**/*.ts', denied: false },
    { pattern: 'ROOT/**/*.ts', denied: false },
    { pattern: 'ROOT/src/a.ts', denied: false },
    { pattern: '/etc/*', denied: true },
    { pattern: ' /etc/*', denied: true },
    { pattern: 'ROOT*/a.ts', denied: true },
    { pattern: 'ROOT-evil/a.ts', denied: true },
    { pattern: 'ROOT/*/../../../etc/*', denied: true },
    { pattern: '../*', denied: true },
    { pattern: 'src/..', denied: true },
    { pattern: '{src,..}/*', denied: true },
    { pattern: '~/*', denied: true },
    { pattern: 'a..b/*', denied: false },
  ];
  for (const { pattern, denied } of cases) {
    test(`${pattern} is ${denied ? 'denied' : 'left alone'}, unless paths outside are allowed`, async () => {
      const closed = workspace({ outsideWorkspacePaths: 'deny' });
      const output = await closed.pre('Glob', { pattern: pattern.replace('ROOT', closed.root) });
      if (denied) expect(reasonOf(output)).toBeDefined();
      else expect(output).toEqual({});
      const beside = await closed.pre('Glob', { path: 'src', pattern: pattern.replace('ROOT', closed.root) });
      expect(reasonOf(beside) !== undefined, 'with a path that is rewritten').toBe(denied);
      const open = workspace({ outsideWorkspacePaths: 'allow' });
      expect(await open.pre('Glob', { pattern: pattern.replace('ROOT', open.root) })).toEqual({});
    });
  }
});

describe('files that the CLI keeps for the session', () => {
  const SESSION = '0b0e2f6c-1111-4222-8333-444455556666';
  const project = `config/projects/-work/${SESSION}`;
  const place = () => {
    const made = workspace({
      outsideWorkspacePaths: 'deny',
      isolation: { allowUnsandboxedCommands: false, networkPolicy: NetworkPolicy.noNetwork() },
    });
    const transcript = join(made.folder, `${project}.jsonl`);
    const ask = (tool: string, path: string) =>
      made.pre(tool, { file_path: join(made.folder, path) }, { transcript_path: transcript });
    return { ...made, ask };
  };

  test('a long output of the session may be read, its transcript may not (AD-386)', async () => {
    const { ask } = place();
    expect(await ask('Read', `${project}/tool-results/bep3zxz4q.txt`)).toEqual({});
    expect(reasonOf(await ask('Read', `${project}.jsonl`))).toContain('outside the workspace');
  });

  const cases = [
    { tool: 'Write', path: `${project}/tool-results/x.txt`, denied: true },
    { tool: 'Read', path: `${project}-2/tool-results/x.txt`, denied: true },
    { tool: 'Read', path: `${project}/../other-session/x.txt`, denied: true },
    { tool: 'Read', path: 'config/plans/quiet-river.md', denied: false },
    { tool: 'Write', path: 'config/plans/quiet-river.md', denied: false },
    { tool: 'Edit', path: 'config/plans/quiet-river.md', denied: false },
    { tool: 'Write', path: 'config/plans/deeper/quiet-river.md', denied: true },
    { tool: 'Write', path: 'config/plans/run.sh', denied: true },
    { tool: 'Write', path: 'config/settings.json', denied: true },
    { tool: 'Write', path: 'config/plans/../settings.md', denied: true },
  ];
  for (const { tool, path, denied } of cases) {
    test(`${tool} of ${path.replace(SESSION, 'SESSION')} is ${denied ? 'denied' : 'left alone'}`, async () => {
      const output = await place().ask(tool, path);
      expect(reasonOf(output) !== undefined).toBe(denied);
    });
  }

  test('the output of a background command may be read, a link in its place may not', async () => {
    const { ask, folder } = place();
    const tasks = `tmp/claude-1000/-work/${SESSION}/tasks`;
    plant(folder, { [`${tasks}/b1.output`]: 'out', [`${tasks}/b2.output`]: [`${folder}/outside`] });
    expect(await ask('Read', `${tasks}/b1.output`)).toEqual({});
    for (const [tool, path] of [
      ['Write', `${tasks}/b1.output`],
      ['Read', `${tasks}/b2.output`],
      ['Read', `${tasks}/b2.output/secret.txt`],
      ['Read', `${tasks}/b3.txt`],
      ['Read', `tmp/claude-1000/-work/other/tasks/b1.output`],
      ['Read', `tmp/claude-1000/-work-2/${SESSION}/tasks/b1.output`],
      ['Read', `tmp/other/-work/${SESSION}/tasks/b1.output`],
    ] as const) {
      expect(reasonOf(await ask(tool, path)), path).toBeDefined();
    }
  });

  test('a transcript path that is odd opens nothing', async () => {
    const { pre, folder } = place();
    for (const transcript_path of [undefined, 5, '', '.jsonl', '/.jsonl', `${folder}/.jsonl`]) {
      const path = join(folder, 'outside', 'secret.txt');
      expect(reasonOf(await pre('Read', { file_path: path }, { transcript_path }))).toBeDefined();
    }
  });
});

test('a denial names the path and ends there: no other field of the input is told', async () => {
  const { pre, state } = workspace();
  const output = await pre('Write', { file_path: '../x', content: 'TOP SECRET' });
  expect(JSON.stringify(output)).not.toContain('TOP SECRET');
  expect(isJsonObject(state.denials[0]) && JSON.stringify(state)).not.toContain('TOP SECRET');
});
