import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { TenantHomes, type TenantOptions } from '../../src/host/tenant-options.js';
import { tempFolder } from '../helpers/temp-folder.js';

test.each([
  ['the same', (folder: string) => `${folder}/a`],
  ['the same with dots and a slash', (folder: string) => `${folder}/x/../a/`],
  ['a link to it', (folder: string) => `${folder}/link`],
  ['a folder in it that is not there yet', (folder: string) => `${folder}/link/deeper/still`],
  ['the folder that it is in', (folder: string) => folder],
])('a second tenant with %s as its home is refused', async (_, homeOf) => {
  const folder = tempFolder();
  mkdirSync(`${folder}/a`);
  symlinkSync(`${folder}/a`, `${folder}/link`);
  const homes = new TenantHomes((tenant): TenantOptions => {
    return { env: { CLAUDE_CONFIG_DIR: tenant === 'ada' ? `${folder}/a` : homeOf(folder) } };
  }, 1_000);
  await homes.optionsOf('ada');
  await homes.optionsOf('ada');
  await expect(homes.optionsOf('bob')).rejects.toMatchObject({ code: 'start_failed' });
});

test('homes whose names differ in halves of surrogate pairs alone are one folder, and the second is refused', async () => {
  const folder = tempFolder();
  const name = (tenant: string): string => (tenant === 'ada' ? '\ud800' : '\ud801');
  const homes = new TenantHomes((tenant) => ({ env: { CLAUDE_CONFIG_DIR: `${folder}/${name(tenant)}` } }), 1_000);
  await homes.optionsOf('ada');
  await expect(homes.optionsOf('bob')).rejects.toMatchObject({ code: 'start_failed' });
});

test('tenants whose homes begin alike are let in', async () => {
  const folder = tempFolder();
  const homes = new TenantHomes((tenant) => ({ env: { CLAUDE_CONFIG_DIR: `${folder}/${tenant}` } }), 1_000);
  await homes.optionsOf('ada');
  expect((await homes.optionsOf('ada2')).env.CLAUDE_CONFIG_DIR).toBe(`${folder}/ada2`);
});
