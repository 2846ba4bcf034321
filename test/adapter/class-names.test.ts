import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const DOOR = fileURLToPath(new URL('../../src/adapter/index.ts', import.meta.url));

test('classes are called what they are exported as, also after bundling', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cw-names-'));
  try {
    await build({
      entryPoints: [DOOR],
      outdir: folder,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      minifySyntax: true,
      keepNames: true,
      outExtension: { '.js': '.mjs' },
      logLevel: 'error',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
      },
    });
    const door: Record<string, unknown> = await import(
      pathToFileURL(join(folder, 'index.mjs')).href
    );
    const classes = Object.entries(door).filter(
      ([name, value]) => typeof value === 'function' && /^[A-Z]/.test(name),
    ) as [string, { readonly name: string }][];
    expect(classes.length).toBeGreaterThan(30);
    // Some have a second name.
    const names = new Map<unknown, string[]>();
    for (const [name, value] of classes) names.set(value, [...(names.get(value) ?? []), name]);
    const leaked = classes.filter(([, value]) => !names.get(value)?.includes(value.name));
    expect(leaked.map(([name, value]) => `${name} is ${value.name}`)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
