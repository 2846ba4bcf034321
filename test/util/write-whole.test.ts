import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { writeWhole } from '../../src/util/write-whole.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-whole-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  file = join(folder, 'file');
});
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe.skipIf(process.platform === 'win32')('a file that is written as a whole (skipped on Windows)', () => {
  test('is new, or takes the place and the mode of an older one', () => {
    writeWhole(file, 'one', 0o700);
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['one', 0o700]);
    chmodSync(file, 0o664);
    writeWhole(file, 'two', 0o700);
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['two', 0o664]);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('is where a link leads to', () => {
    writeFileSync(file, 'old');
    symlinkSync(file, join(folder, 'link'));
    writeWhole(join(folder, 'link'), 'new');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('new');
  });

  test('does not take the place of a device', () => {
    writeWhole('/dev/null', 'text');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('leaves nothing where it cannot be', () => {
    mkdirSync(file);
    expect(() => writeWhole(file, 'text')).toThrow('EISDIR');
    expect(() => writeWhole(join(folder, 'none', 'file'), 'text')).toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});
