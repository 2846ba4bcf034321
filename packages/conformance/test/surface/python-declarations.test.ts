import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installedSurface } from '../../src/drift/installed-surface.js';
import { compareSurfaces } from '../../src/surface/compare-surfaces.js';
import type { Declared } from '../../src/surface/declared.js';

const PROGRAMS = fileURLToPath(new URL('../../drivers/table', import.meta.url));
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;

const TYPES = `
import sys
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict, Union

if sys.version_info >= (3, 11):
    Later = int
else:
    Later = str

Mode = Literal["a", 'b'] | None
Event = Union[Literal["x"], "Mode", list[dict[str, int]]]


class _Mixin(TypedDict, total=False):
    trace: str


class Input(_Mixin):
    name: Literal["n"]
    extra: NotRequired[list[Literal["p", "q"]]]


Other = TypedDict("Other", {"with-dash": int}, total=False)


@dataclass
class ClaudeAgentOptions:
    """Deprecated things are below."""
    model: str | None = None
    tools: list[str] = field(default_factory=list)
    needed: "Mode" = field(repr=False)
    _hidden: int = 0
    old: int = 0
    """Deprecated: use model."""

    @property
    def size(self) -> int: ...

    async def run(self, prompt: str, /, *args: int, flag: bool = True, **more: object) -> dict[str, Mode]: ...

    def _private(self): ...
`;
const INIT = `
from ._internal.hidden import passed_on as passed
from .types import ClaudeAgentOptions

__all__ = ["ClaudeAgentOptions"]
__all__ += ["passed"]
__version__ = "1"
raise SystemExit("imported")
`;

describe.skipIf(!hasPython)('the source of a Python package', () => {
  let folder: string;
  const write = (name: string, text: string): void => {
    const file = join(folder, 'claude_agent_sdk', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const read = (): Promise<readonly Declared[]> =>
    installedSurface({ kind: 'py', version: '0.0.0', path: folder, python: 'python3' }, PROGRAMS);
  const lines = (facts: readonly Declared[]): readonly string[] =>
    facts.map(
      ({ path, kind, type, marks }) => `${path} <${kind}> ${type}${marks.length === 0 ? '' : ` [${marks.join(',')}]`}`,
    );

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'claudewire-surface-'));
    write('__init__.py', INIT);
    write('types.py', TYPES);
    write('_internal/__init__.py', '');
    write('_internal/hidden.py', 'def passed_on(a, *, b: int = 1) -> None: ...\n\ndef kept_back(): ...\n');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('is read whole, and never imported', async () => {
    const found = lines(await read());
    const expected = [
      'claude_agent_sdk exports ClaudeAgentOptions <export> ',
      'claude_agent_sdk exports passed <export> ',
      'passed_on() <function> (a, *, b: int=1) -> None [exported]',
      'passed_on(b) <parameter> int = 1 [optional]',
      "Mode <type> 'a' | 'b' | None [exported]",
      "Mode | 'b' <member> 'b'",
      'Event | list[dict[str, int]] <member> list[dict[str, int]]',
      'Event | Mode <member> Mode',
      '_Mixin.trace <field> str [optional]',
      'Input <class> (_Mixin) [exported]',
      "Input.name <field> 'n'",
      "Input.extra <field> list['p' | 'q'] [optional]",
      "Input.extra[] | 'q' <member> 'q'",
      'Other.with-dash <field> int [optional]',
      'ClaudeAgentOptions <class> @dataclass [exported]',
      'ClaudeAgentOptions.model <field> None | str = None [optional]',
      'ClaudeAgentOptions.model | None <member> None',
      'ClaudeAgentOptions.tools <field> list[str] = field(default_factory=list) [optional]',
      'ClaudeAgentOptions.needed <field> Mode = field(repr=False)',
      'ClaudeAgentOptions.old <field> int = 0 [deprecated,optional]',
      'ClaudeAgentOptions.size <field> int [readonly]',
      'ClaudeAgentOptions.run() <method> (prompt: str, /, *args: int, flag: bool=True, **more: object) -> dict[str, Mode] [async]',
      'ClaudeAgentOptions.run(flag) <parameter> bool = True [optional]',
      'ClaudeAgentOptions.run(more) <parameter> object [rest]',
      'Later <value> = int [exported]',
      'Later <value> = str [exported]',
    ];
    expect(expected.filter((line) => !found.includes(line))).toEqual([]);
    expect(found.filter((line) => /hidden|kept_back|_private|__version__/.test(line))).toEqual([]);
  });

  test('is the same with CRLF and other quotes', async () => {
    const before = await read();
    write('types.py', TYPES.replaceAll("'b'", '"b"').replaceAll('\n', '\r\n'));
    expect(compareSurfaces(before, await read())).toEqual([]);
    write('types.py', TYPES);
  });

  test('a file that does not parse is an error with file and line', async () => {
    write('broken.py', 'a = 1\ndef (:\n');
    await expect(read()).rejects.toThrow('claude_agent_sdk/broken.py:2 cannot be read');
    rmSync(join(folder, 'claude_agent_sdk', 'broken.py'));
  });
});
