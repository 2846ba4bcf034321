import type { Outcome, RunSummary, SDKMessage } from 'claudewire';
import { isClaudeSDKError } from 'claudewire';
import { isJsonObject, jsonTextOf } from '../../../../src/util/json.js';
import { type DemoEvent, MessageEvents } from '../demo/demo-events.js';
import type { Colors } from '../demo/render.js';
import { cellsOf, oneLine, SafeStream, safeText } from '../safe-text.js';

export interface DisplayOptions {
  readonly colors: Colors;
  /** Everything but the answer. */
  readonly write: (text: string) => void;
  /** Cells of a line; asked for every line, since a terminal can be resized. */
  readonly columns: () => number;
  /** Shows the model's text as it streams. */
  readonly isLive: boolean;
}

type Style = keyof Colors;

interface OpenCall {
  readonly name: string;
  startedAt: number;
  readonly indent: string;
  /** Seconds after which the next sign of life is shown. */
  nextProgress: number;
}

const MAX_BLANKS = 4;
const SUBAGENT_INDENT = '  │ ';
const FIRST_PROGRESS_SECONDS = 10;

/**
 * Shows a run to a person. Every text that is not its own goes through `safeText`, so that the only escape sequences are
 * the colours it sets itself.
 */
export class Display {
  readonly #options: DisplayOptions;
  readonly #main = new MessageEvents();
  readonly #subagents = new MessageEvents();
  readonly #calls = new Map<string, OpenCall>();
  readonly #stream = new SafeStream();
  #isInText = false;
  /** Line feeds at the end of what is on the screen, two at most. */
  #newlines = 2;
  /** What waits while a question is on the screen. */
  #held: string[] | undefined;

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  message(message: SDKMessage): void {
    try {
      if (message.type === 'tool_progress') this.#progress(message);
      else if (message.type === 'system' && message.subtype === 'permission_denied') this.#denied(message);
      else for (const event of this.#eventsOf(message)) this.#event(event, indentOf(message));
    } catch {
      // A CLI may send anything. What cannot be read is not worth the end of the run.
      this.line([['yellow', `A message of the type ${String(message.type)} could not be read.`]]);
    }
  }

  /** One line of styled pieces; `undefined`: as it is. Each is made safe, and the last is cut to the terminal. */
  line(pieces: readonly (readonly [style: Style | undefined, text: string])[]): void {
    this.#endText();
    const { colors, columns } = this.#options;
    let left = columns();
    const shown = pieces.map(([style, text]) => {
      // Blanks at the edges separate it from its neighbours.
      const before = text.length - text.trimStart().length;
      const after = text.trim() === '' ? 0 : text.length - text.trimEnd().length;
      const edges = [before, after].map((length) => ' '.repeat(Math.min(MAX_BLANKS, length)));
      const fitting = edges.join(oneLine(text, Math.max(1, left - edges.join('').length)));
      left -= cellsOf(fitting);
      return style === undefined ? fitting : colors[style](fitting);
    });
    this.#write(`${shown.join('')}\n`);
  }

  /** Lines that are not cut: what is decided about must be seen. */
  block(text: string, style?: Style): void {
    this.#whole(safeText(text).replace(/^/gm, '  '), style);
  }

  /** What the CLI says about itself. */
  stderr(text: string): void {
    for (const line of text.split('\n')) if (line.trim() !== '') this.line([['dim', `Claude Code: ${line}`]]);
  }

  /** Nothing is written while a question is on the screen. */
  hold(): void {
    this.#endText();
    this.#held ??= [];
  }

  /** @param callId - What was asked about: the person's time is not the tool's. */
  release(callId: string): void {
    const call = this.#calls.get(callId);
    if (call !== undefined) call.startedAt = performance.now();
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#options.write(text);
  }

  /** How it ended, and what it cost. */
  summary(summary: RunSummary, exitCode: number): void {
    const { outcome, error, permissionDenials, sessionId } = summary;
    const isGood = outcome.kind === 'completed';
    this.#endText();
    this.#gap();
    if (!isGood) {
      this.block(reasonOf(outcome, error), 'red');
      if (isClaudeSDKError(error) && error.hint !== undefined) this.block(error.hint, 'yellow');
    }
    this.line([
      [isGood ? 'green' : 'red', outcome.kind],
      ['dim', `  ${figuresOf(summary)}${exitCode === 0 ? '' : `, exit code ${exitCode}`}`],
    ]);
    const denied = permissionDenials.length;
    if (denied > 0) this.line([['yellow', `${denied} ${denied === 1 ? 'call was' : 'calls were'} not allowed.`]]);
    // Not cut: it is there to be copied.
    if (sessionId !== undefined)
      this.#whole(oneLine(`Go on with: --resume ${sessionId}`, Number.POSITIVE_INFINITY), 'dim');
  }

  /** @param safe - Shown as it is. */
  #whole(safe: string, style: Style | undefined): void {
    this.#endText();
    this.#write(`${style === undefined ? safe : this.#options.colors[style](safe)}\n`);
  }

  #eventsOf(message: SDKMessage): readonly DemoEvent[] {
    if (indentOf(message) === '') return this.#main.of(message);
    const events = this.#subagents.of({ ...message, parent_tool_use_id: null } as SDKMessage);
    return events.filter(({ type }) => type === 'tool_call' || type === 'tool_result');
  }

  #event(event: DemoEvent, indent: string): void {
    if (event.type === 'text') this.#text(event.text);
    else if (event.type === 'text_end') this.#endText();
    else if (event.type === 'tool_call') this.#call(event, indent);
    else if (event.type === 'tool_result') this.#result(event);
    else if (event.type === 'session') this.line([['dim', `${event.model}, ${event.tools} tools`]]);
    else if (event.type === 'retry') {
      this.line([
        ['yellow', `The API answered ${event.status ?? 'nothing'}. `],
        ['dim', `Try ${event.attempt} of ${event.maxRetries} in ${event.delayMs} ms.`],
      ]);
    }
  }

  #text(text: string): void {
    if (!this.#options.isLive) return;
    if (!this.#isInText) this.#gap();
    this.#isInText = true;
    this.#write(this.#stream.push(String(text)));
  }

  #endText(): void {
    if (!this.#isInText) return;
    this.#isInText = false;
    this.#write(this.#stream.end());
    this.#gap();
  }

  /** One empty line. */
  #gap(): void {
    this.#write('\n'.repeat(2 - this.#newlines));
  }

  #call({ id, name, input }: Extract<DemoEvent, { type: 'tool_call' }>, indent: string): void {
    const startedAt = performance.now();
    this.#calls.set(id, { name, startedAt, indent, nextProgress: FIRST_PROGRESS_SECONDS });
    this.line([
      ['dim', indent],
      ['cyan', `● ${name}`],
      [undefined, `  ${inputInShort(input)}`],
    ]);
  }

  #result({ id, text, isError }: Extract<DemoEvent, { type: 'tool_result' }>): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const { name, indent, startedAt } = call ?? { name: 'a call', indent: '', startedAt: performance.now() };
    this.line([
      ['dim', `${indent}  `],
      [isError ? 'red' : 'green', isError ? 'failed' : 'ok'],
      ['dim', ` ${name}, ${seconds(performance.now() - startedAt)}`],
      ['dim', isError ? `: ${text}` : ''],
    ]);
  }

  #progress(message: Extract<SDKMessage, { type: 'tool_progress' }>): void {
    const call = this.#calls.get(message.tool_use_id) ?? this.#calls.get(message.parent_tool_use_id ?? '');
    const elapsed = Number(message.elapsed_time_seconds);
    if (call === undefined || !(elapsed >= call.nextProgress)) return;
    // A tool that runs for an hour must not fill the screen.
    call.nextProgress = elapsed * 2;
    this.line([['dim', `${call.indent}  ${call.name} runs for ${Math.round(elapsed)} s`]]);
  }

  #denied(message: Extract<SDKMessage, { subtype: 'permission_denied' }>): void {
    this.line([
      ['red', '  not allowed '],
      ['dim', `${message.tool_name}: ${message.message}`],
    ]);
  }

  #write(text: string): void {
    if (text === '') return;
    const ends = /\n{0,2}$/.exec(text)?.[0].length ?? 0;
    this.#newlines = ends === text.length ? Math.min(2, this.#newlines + ends) : ends;
    if (this.#held === undefined) this.#options.write(text);
    else this.#held.push(text);
  }
}

function indentOf(message: SDKMessage): string {
  const parent = 'parent_tool_use_id' in message ? message.parent_tool_use_id : null;
  return typeof parent === 'string' && message.type !== 'tool_progress' ? SUBAGENT_INDENT : '';
}

/** The field that says most about a call of a built-in tool, else everything. */
function inputInShort(input: unknown): string {
  if (!isJsonObject(input)) return jsonTextOf(input) ?? '';
  const { command, file_path: file, notebook_path: notebook, pattern, url, query, description } = input;
  const said = [command, file, notebook, pattern, url, query, description].find((value) => typeof value === 'string');
  return typeof said === 'string' ? said : (jsonTextOf(input) ?? '');
}

/** The end that the caller asked for is told by its own words. */
function reasonOf(outcome: Outcome, error: unknown): string {
  return outcome.message || (error instanceof Error ? error.message : '') || 'Nothing more is known.';
}

function figuresOf({ numTurns, usage, costUsd, durationMs }: RunSummary): string {
  const { inputTokens = 0, cachedTokens = 0, outputTokens = 0 } = usage;
  return [
    `${numTurns} ${numTurns === 1 ? 'turn' : 'turns'}`,
    `${inputTokens + cachedTokens} tokens in (${cachedTokens} cached), ${outputTokens} out`,
    costUsd === undefined ? 'cost not known' : `$${costUsd.toFixed(4)}`,
    seconds(durationMs),
  ].join(', ');
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
