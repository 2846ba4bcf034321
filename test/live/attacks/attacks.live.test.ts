import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Call, setIsolatedStage, sh } from '../support/isolated.js';
import { describeSandboxed } from '../support/sandbox.js';
import { ATTACKS, HELPERS, SYS, type Victims } from './attack-table.js';
import { setVictims, withSessionKey } from './victims.js';

const CORE_PATTERN = '/proc/sys/kernel/core_pattern';
/** As many as fit into the time of one command. */
const PER_COMMAND = 30;
const NOT_HERE = 77;
/** A busy machine gets its time. */
const long = (command: string): Call => ['Bash', { command, description: 'Attack', timeout: 600_000 }];
const RUNNER = `for at in $(seq $1 $2); do
  [ -f attack-$at.sh ] || continue
  timeout -k 1 15 bash ./attack-$at.sh > said-$at 2>&1 < /dev/null
  echo "attack $at ended with $?"
done
exit 0
`;

/** How each attack ended, by its place in the table. */
const ended = new Map<number, number>();
const host: { [fact: string]: unknown } = {};

describeSandboxed(`attacks on the sandbox of the real CLI in bypass mode, as uid ${process.getuid?.()}`, () => {
  let restore = (): void => {};

  beforeAll(async () => {
    const pattern = readFileSync(CORE_PATTERN, 'utf8');
    const { victims, remove } = await setVictims();
    restore = () => {
      remove();
      if (readFileSync(CORE_PATTERN, 'utf8') !== pattern) writeFileSync(CORE_PATTERN, pattern);
    };
    const chunks = Array.from({ length: Math.ceil(ATTACKS.length / PER_COMMAND) }, (_, at) => at * PER_COMMAND);
    const stage = await setIsolatedStage([
      ...chunks.map((first) => long(`bash ./run.sh ${first} ${first + PER_COMMAND - 1}`)),
      sh('echo made > made.txt; cat /etc/hostname > /dev/null && echo still here'),
    ]);
    const { cwd, hostHome, tempRoot } = stage;
    writeFileSync(join(hostHome, '.netrc'), 'not for you either');
    writeFileSync(join(cwd, 'run.sh'), RUNNER);
    writeFileSync(join(cwd, 'sys.pl'), SYS);
    const all: Victims = { ...victims, hostHome, tempRoot };
    ATTACKS.forEach(({ lines }, at) => {
      const text = typeof lines === 'string' ? lines : lines(all);
      writeFileSync(join(cwd, `attack-${at}.sh`), `${HELPERS}\n${text}\n`);
    });
    const { said, response } = await stage.run(
      {},
      {
        client: { pathToClaudeCodeExecutable: withSessionKey(join(stage.folder, 'cli'), stage.cli.path) },
        onMessage: (message) => {
          if (message.type !== 'result') return;
          const [home = ''] = readdirSync(tempRoot);
          host.programs = readdirSync(join(tempRoot, home, 'bin'));
          host.guard = readFileSync(join(tempRoot, home, 'bin', 'bwrap'), 'utf8');
          host.settings = JSON.parse(readFileSync(join(tempRoot, home, '.claude', 'settings.json'), 'utf8'));
        },
      },
    );
    for (const [, at, code] of said.join('\n').matchAll(/^attack (\d+) ended with (\d+)$/gm)) {
      ended.set(Number(at), Number(code));
    }
    host.isolation = response.isolation;
    host.last = said.at(-1);
    host.outside = readdirSync(victims.outside).sort();
    host.secret = readFileSync(join(victims.outside, 'secret.txt'), 'utf8');
    host.home = readdirSync(hostHome).sort();
    host.pattern = readFileSync(CORE_PATTERN, 'utf8') === pattern;
    host.planted = existsSync(join(cwd, 'escaped-by-path'));
    host.made = existsSync(join(cwd, 'made.txt'));
    if (process.env.ATTACKS_SAID === '1')
      ATTACKS.forEach(({ name }, at) => {
        const file = join(cwd, `said-${at}`);
        const text = existsSync(file) ? readFileSync(file, 'utf8').trim().slice(0, 200) : '';
        console.info(`${name}: ${ended.get(at)} ${text}`);
      });
  }, 240_000);

  afterAll(() => restore());

  test('the sandbox was tried, and works: its commands write where they may (I-1)', () => {
    expect(host.isolation).toMatchObject({ probePassed: true, openings: [], settingsConfirmed: true });
    expect(host.last).toBe('still here');
    expect(host.made).toBe(true);
  });

  test.each(ATTACKS.map(({ name }, at) => [name, at] as const))('held: a command that %s (I-1)', (name, at) => {
    const code = ended.get(at);
    expect(code, `${name} was tried`).toBeDefined();
    expect(code, name).not.toBe(0);
  });

  test('the host is as it was: files, home, programs of the sandbox, settings, kernel (I-1)', () => {
    expect(host).toMatchObject({
      outside: ['folder', 'host.sock', 'secret.txt'],
      secret: 'not for you',
      home: ['.claude', '.netrc'],
      programs: ['bwrap'],
      pattern: true,
      planted: false,
    });
    expect(host.guard).toMatch(/^#!\/bin\/sh\n# Starts bubblewrap/);
    expect(host.settings).toHaveProperty('sandbox.enabled', true);
  });

  test('what is not on this machine is said', ({ annotate }) => {
    const names = ATTACKS.filter((_, at) => ended.get(at) === NOT_HERE).map(({ name }) => name);
    void annotate(names.join('; '));
    expect(names.length).toBeLessThan(ATTACKS.length / 3);
  });
});
