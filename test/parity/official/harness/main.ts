import { readFileSync } from 'node:fs';
import { DIFFERENCES, NOT_SHOWN } from '../differences.js';
import { differingFields, judge, type Verdict } from './judge.js';
import { type Lane, listCases, type Place, runLane, type Side } from './lanes.js';
import type { CaseInfo, CaseResult } from './parity-case.js';

export interface RunOptions extends Place {
  readonly officialUrl: string;
  readonly oursUrl: string;
  /** Path of docs/evidence/differences.md. */
  readonly documented: string;
  /** Only cases whose key has this in it. */
  readonly only?: string;
}

export interface Run {
  readonly verdicts: readonly Verdict[];
  /** By key: in what the two differ. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** Row ids that no case covers. */
  readonly missing: readonly string[];
}

/** How many processes run at once. Most of them wait for a fake CLI. */
const LANES = 4;
const USUAL = { capMs: 20_000, stepTimeoutMs: 5000 };
/** A side that is known to hang need not hang for long. */
const KNOWN = { capMs: 4000, stepTimeoutMs: 1200 };

/** Runs all cases through both packages and judges what was seen. */
export async function run(options: RunOptions): Promise<Run> {
  const sides: readonly Side[] = [
    { name: 'official', url: options.officialUrl },
    { name: 'ours', url: options.oursUrl },
  ];
  const infos = await listCases(options, sides[1] as Side);
  if (infos.length === 0) throw new Error('our package could not be loaded: no cases');
  const only = options.only ?? '';
  const chosen = infos.filter(({ key }) => key.includes(only));
  const lanes = sides.flatMap((side) => lanesOf(chosen, side));
  const results = new Map<string, CaseResult>();
  await inParallel(lanes, async (lane) => {
    for (const result of await runLane(options, lane)) {
      results.set(`${lane.side.name} ${result.key}`, result);
    }
  });
  const fields = new Map<string, readonly string[]>();
  const verdicts = chosen.map((info) => {
    const official = results.get(`official ${info.key}`);
    const ours = results.get(`ours ${info.key}`);
    if (official && ours) fields.set(info.key, differingFields(official, ours));
    return judge(info, official, ours, DIFFERENCES);
  });
  const listed = only === '' ? [...listProblems(infos), ...idProblems(options.documented)] : [];
  return { verdicts: [...verdicts, ...listed], fields, missing: missingRows(infos) };
}

function lanesOf(infos: readonly CaseInfo[], side: Side): Lane[] {
  const isListed = ({ key }: CaseInfo): boolean => DIFFERENCES.some(({ cases }) => key in cases);
  const shared = infos.filter(({ isFresh }) => !isFresh);
  const known = shared.filter(isListed).map(({ key }) => key);
  const usual = shared.filter((info) => !isListed(info)).map(({ key }) => key);
  const half = Math.ceil(usual.length / 2);
  const knownLimits = side.name === 'official' ? KNOWN : USUAL;
  return [
    { side, hostEnv: {}, isWarm: true, keys: known, ...knownLimits },
    { side, hostEnv: {}, isWarm: true, keys: usual.slice(0, half), ...USUAL },
    { side, hostEnv: {}, isWarm: true, keys: usual.slice(half), ...USUAL },
    ...infos
      .filter(({ isFresh }) => isFresh)
      .map((info) => ({
        side,
        hostEnv: info.hostEnv,
        isWarm: false,
        keys: [info.key],
        ...(isListed(info) ? knownLimits : USUAL),
      })),
  ].filter(({ keys }) => keys.length > 0);
}

async function inParallel(lanes: readonly Lane[], work: (lane: Lane) => Promise<void>): Promise<void> {
  const left = [...lanes];
  const worker = async (): Promise<void> => {
    for (let lane = left.shift(); lane !== undefined; lane = left.shift()) await work(lane);
  };
  await Promise.all(Array.from({ length: LANES }, worker));
}

/** The list names cases that exist, once each; cases have names of their own. */
function listProblems(infos: readonly CaseInfo[]): readonly Verdict[] {
  const keys = infos.map(({ key }) => key);
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  const listed = DIFFERENCES.flatMap(({ cases }) => Object.keys(cases));
  const unknown = listed.filter((key) => !keys.includes(key));
  return [
    ...twice.map((key) => ({ key, differs: undefined, problems: ['two cases have this name'] })),
    ...unknown.map((key) => ({ key, differs: undefined, problems: ['is listed, and there is no such case'] })),
  ];
}

/** From here on they are about the Python SDK, and about parts that have comparisons of their own. */
const OTHERS_FROM = 60;

/** Every difference has its line in the document, and every line about a run of the official SDK has a case. */
function idProblems(documentedIn: string): readonly Verdict[] {
  const text = readFileSync(documentedIn, 'utf8');
  const lines = [...text.matchAll(/^\| (D-\d+) \|/gm)].map(([, id = '']) => id);
  const needed = lines.filter((id) => Number(id.slice(2)) < OTHERS_FROM);
  const listed = [...DIFFERENCES.map(({ id }) => id), ...Object.keys(NOT_SHOWN)];
  return [
    ...listed
      .filter((id) => !lines.includes(id))
      .map((id) => ({ key: id, differs: undefined, problems: ['has no line in docs/evidence/differences.md'] })),
    ...needed
      .filter((id) => !listed.includes(id))
      .map((id) => ({ key: id, differs: undefined, problems: ['is documented, and no case shows it'] })),
  ];
}

const ROWS = 185;

function missingRows(infos: readonly CaseInfo[]): readonly string[] {
  const covered = new Set(infos.flatMap(({ ids }) => ids));
  const all = Array.from({ length: ROWS }, (_, index) => `TS-${String(index + 1).padStart(3, '0')}`);
  return [...all, 'TS-169a'].filter((id) => !covered.has(id));
}
