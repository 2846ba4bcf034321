import { assertNever } from '../../../../src/util/assert-never.js';
import type { colorsFor } from '../program-host.js';
import { safeText } from '../safe-text.js';
import type { DemoEvent } from './demo-events.js';

/** The colours a renderer uses. */
export type Colors = Pick<ReturnType<typeof colorsFor>, 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'>;
type Style = (text: string) => string;

export interface RenderOptions {
  readonly colors: Colors;
  /** Shows text as it streams. Without it every block of text comes as one line when it is whole. */
  readonly isLive: boolean;
}

const LABEL_WIDTH = 12;
const MAX_RESULT_LINES = 6;

/** Turns events into text for a person. Pure but for one fact: the text of a block that has not ended. */
export class Renderer {
  readonly #options: RenderOptions;
  /** `undefined` outside a block of text. */
  #text: string | undefined;

  constructor(options: RenderOptions) {
    this.#options = options;
  }

  /** The text to print now; may be empty. */
  render(event: DemoEvent): string {
    if (event.type === 'text') return this.#onText(safeText(event.text));
    // A block that was cut off (an interrupt, an error) is ended by whatever comes after it.
    const before = this.#endText();
    return event.type === 'text_end' ? before : before + this.#lines(event);
  }

  #onText(text: string): string {
    const isFirst = this.#text === undefined;
    this.#text = (this.#text ?? '') + text;
    if (!this.#options.isLive) return '';
    return (isFirst ? this.#label('claude', this.#options.colors.bold) : '') + indent(text);
  }

  #endText(): string {
    const text = this.#text;
    if (text === undefined) return '';
    this.#text = undefined;
    return this.#options.isLive ? '\n' : this.#line('claude', text.trimEnd());
  }

  #lines(event: Exclude<DemoEvent, { type: 'text' | 'text_end' }>): string {
    const { bold, dim, red, green, yellow, cyan } = this.#options.colors;
    switch (event.type) {
      case 'start':
        return (
          this.#line('demo', startText(event), dim) +
          (event.prompt === undefined ? '' : this.#line('prompt', event.prompt, bold))
        );
      case 'act':
        return `\n${this.#line(`${event.number} of ${event.of}`, event.title, bold)}${this.#line('prompt', event.prompt, bold)}`;
      case 'next': {
        const width = Math.max(...event.commands.map(({ command }) => command.length));
        const lines = event.commands.map(({ command, does }) => `${command.padEnd(width)}  ${does}`);
        return `\n${this.#line('try next', lines.join('\n'), cyan)}`;
      }
      case 'session':
        return this.#line('session', `${event.model}, ${event.tools} tools`, dim);
      case 'tool_call':
        return this.#line('tool', `${event.name} ${JSON.stringify(event.input)}`, cyan);
      case 'tool_result':
        return this.#line('result', shorten(event.text), event.isError ? red : dim);
      case 'permission': {
        const [verdict, style] =
          event.decision === 'allow' ? (['allowed', green] as const) : (['denied', red] as const);
        return this.#line('permission', `${event.tool} ${verdict}: ${event.reason}`, style);
      }
      case 'hook':
        return this.#line('hook', `${event.event} ${event.tool}`, yellow);
      case 'in_process_tool':
        return this.#line('in-process', `${event.name} answers ${event.result}`, cyan);
      case 'retry':
        return this.#line(
          'retry',
          `${event.attempt} of ${event.maxRetries} after status ${event.status ?? 'none'}, in ${event.delayMs} ms`,
          yellow,
        );
      case 'interrupt':
        return this.#line('interrupt', 'the application stops the turn', yellow);
      case 'stderr':
        return this.#line('stderr', event.text.trimEnd(), dim);
      case 'error':
        return (
          this.#line('error', `${event.name}: ${event.message}`, red) +
          (event.hint === undefined ? '' : this.#line('hint', event.hint, yellow))
        );
      case 'summary':
        return this.#line('done', summaryText(event), event.outcome === 'completed' ? green : red);
      default:
        return assertNever(event);
    }
  }

  #line(label: string, text: string, style: Style = (plain) => plain): string {
    return `${this.#label(label, style)}${indent(safeText(text))}\n`;
  }

  #label(label: string, style: Style): string {
    return style(label.padEnd(LABEL_WIDTH));
  }
}

function startText({ mode, scenario }: Extract<DemoEvent, { type: 'start' }>): string {
  if (mode === 'live') return 'a live session: your own CLI, login and money';
  return scenario === 'tour'
    ? 'three scripted sessions over the real protocol: no network, no key'
    : `scripted session "${scenario}": a real process, no network, no key`;
}

function summaryText(event: Extract<DemoEvent, { type: 'summary' }>): string {
  const turns = `${event.turns} ${event.turns === 1 ? 'turn' : 'turns'}`;
  const tokens = `${event.inputTokens} + ${event.outputTokens} tokens`;
  const cost = `$${event.costUsd.toFixed(4)}`;
  return `${event.outcome}: ${turns}, ${tokens}, ${cost}, ${(event.durationMs / 1000).toFixed(1)} s`;
}

function shorten(text: string): string {
  const lines = text.trimEnd().split('\n');
  if (lines.length <= MAX_RESULT_LINES) return lines.join('\n');
  const rest = lines.length - MAX_RESULT_LINES;
  return [...lines.slice(0, MAX_RESULT_LINES), `(${rest} more lines)`].join('\n');
}

function indent(text: string): string {
  return text.replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH)}`);
}
