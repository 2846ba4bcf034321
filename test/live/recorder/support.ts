import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { convertRecording, formatScenario } from '../../../src/testing/conversion/convert-recording.js';
import { readRecording } from '../../../src/testing/conversion/recording.js';
import { createPlayerLauncher } from '../../../src/testing/player/launcher.js';
import type { Verdict } from '../../../src/testing/scenario/scenario-types.js';
import type { Stage } from '../support/stage.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const built = join(root, '.build', 'live');
const PROGRAM_LIMIT_MS = 60_000;

/** Where the SDKs are; found and installed by `scripts/live.mjs`. */
const { official, python } = JSON.parse(process.env.LIVE_SDKS ?? '{}') as {
  /** Folder of the official TypeScript package. */
  readonly official?: string;
  /** Interpreter with the official Python SDK; absent where the user accepts that. */
  readonly python?: string;
};

/** What one run of the program does: the same three things in every SDK. */
export interface Program {
  readonly model: string;
  /** The permission answer puts this command in the place of the model's. */
  readonly command: string;
  readonly messages: readonly string[];
}

export interface Sdk {
  readonly name: string;
  readonly isThere: boolean;
  /** Executable, program and settings of the SDK. */
  command(): { readonly file: string; readonly program: string; readonly config: object };
}

const app = (name: string): string => fileURLToPath(new URL(`programs/${name}`, import.meta.url));
const inRoot = (name: string): string => import.meta.resolve(name);

export const SDKS: readonly Sdk[] = [
  {
    name: 'the official TypeScript SDK',
    isThere: official !== undefined,
    command: () => ({
      file: process.execPath,
      program: app('app.mjs'),
      config: {
        sdk: pathToFileURL(join(String(official), 'sdk.mjs')).href,
        zod: pathToFileURL(join(String(official), '..', '..', 'zod', 'index.js')).href,
      },
    }),
  },
  {
    name: 'the official Python SDK',
    isThere: python !== undefined,
    command: () => ({ file: String(python), program: app('app.py'), config: {} }),
  },
  {
    name: 'claudewire',
    isThere: true,
    command: () => ({
      file: process.execPath,
      program: app('app.mjs'),
      config: { sdk: pathToFileURL(join(built, 'index.mjs')).href, zod: inRoot('zod') },
    }),
  },
];

/** Builds what the runs start: recorder, player, and our SDK as one file. */
export async function buildParts(): Promise<{ readonly recorder: string; readonly player: string }> {
  await build({
    absWorkingDir: root,
    entryPoints: {
      index: 'src/index.ts',
      player: 'packages/cli/src/replay/main.ts',
      recorder: 'packages/cli/src/record/main.ts',
    },
    outdir: built,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  });
  return { recorder: join(built, 'recorder.mjs'), player: join(built, 'player.mjs') };
}

export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program on a CLI: the recorder, or the player. */
export async function runProgram(
  sdk: Sdk,
  { stage, cli, program }: { readonly stage: Stage; readonly cli: string; readonly program: Program },
): Promise<ProgramRun> {
  const { file, program: path, config } = sdk.command();
  const { env } = stage.options();
  const given = { ...config, ...program, cli, cwd: stage.cwd, env };
  const { exitCode, stdout, stderr } = await execa(file, [path, JSON.stringify(given)], {
    cwd: stage.cwd,
    env: { ...env },
    extendEnv: false,
    stdin: 'ignore',
    timeout: PROGRAM_LIMIT_MS,
    stripFinalNewline: false,
    reject: false,
  });
  return { code: exitCode ?? null, stdout, stderr };
}

/** Makes a scenario file of a recording. */
export function scenarioFrom(recording: string, file: string): ReturnType<typeof convertRecording> {
  const conversion = convertRecording(readRecording(readFileSync(recording, 'utf8'), recording));
  writeFileSync(file, formatScenario(conversion));
  return conversion;
}

/** Runs the program on the player, and says what the player thought of it. */
export async function replay(
  sdk: Sdk,
  {
    stage,
    player,
    scenario,
    program,
    name,
  }: {
    readonly stage: Stage;
    readonly player: string;
    readonly scenario: string;
    readonly program: Program;
    readonly name: string;
  },
): Promise<{ readonly run: ProgramRun; readonly verdict: Verdict }> {
  const dir = join(stage.folder, name);
  mkdirSync(dir);
  const { path, folder } = createPlayerLauncher({ scenario, dir, player, cwd: stage.cwd });
  const run = await runProgram(sdk, { stage, cli: path, program });
  // Written by the player in this shape.
  return { run, verdict: JSON.parse(readFileSync(folder.verdictFile(1), 'utf8')) as Verdict };
}
