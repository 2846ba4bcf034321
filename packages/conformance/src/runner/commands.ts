import type { DriverProcess } from '../driver/driver-process.js';
import type { DriverReply, NormalError } from '../driver/driver-protocol.js';
import { createDeferred, ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import { CommandUnsupported, ScenarioFailure } from './results.js';

interface Sent {
  /** `call setModel`. */
  readonly name: string;
  /** And where in the scenario. */
  readonly label: string;
  readonly reply: Promise<DriverReply>;
  isAnswered: boolean;
}

/** The commands of one scenario: what was sent, what was answered, and what failed although nothing expects it. */
export class Commands {
  readonly #driver: DriverProcess;
  readonly #expected: ReadonlySet<string>;
  readonly #named = new Map<string, Sent>();
  readonly #all: Sent[] = [];
  readonly #unexpected = createDeferred<never>();
  #isFinishing = false;

  /** @param expected - Names of commands that a `reply` step waits for; that step judges them. */
  constructor(driver: DriverProcess, expected: ReadonlySet<string>) {
    this.#driver = driver;
    this.#expected = expected;
    ignoreRejection(this.#unexpected.promise);
  }

  /** Rejects when a command fails that no step expects to, or that the driver cannot do. Never resolves. */
  get failed(): Promise<never> {
    return this.#unexpected.promise;
  }

  send(command: JsonObject, where: string, name?: string): void {
    const called = `${String(command.command)}${detail(command)}`;
    const label = `${called} (${where})`;
    const sent: Sent = { name: called, label, reply: this.#driver.request(command), isAnswered: false };
    this.#all.push(sent);
    if (name !== undefined) this.#named.set(name, sent);
    void sent.reply.then((reply) => {
      sent.isAnswered = true;
      if (this.#isFinishing) return;
      if ('unsupported' in reply) {
        this.#unexpected.reject(new CommandUnsupported(label, reply.unsupported));
      } else if ('error' in reply && (name === undefined || !this.#expected.has(name))) {
        this.#unexpected.reject(new ScenarioFailure(`${label} failed`, [describeError(reply.error)]));
      }
    });
  }

  /** The reply of a named command; `undefined` when no command has that name. */
  replyTo(name: string): Promise<DriverReply> | undefined {
    return this.#named.get(name)?.reply;
  }

  /** What a named command does: `call setModel`. */
  nameOf(name: string): string {
    return this.#named.get(name)?.name ?? name;
  }

  get unanswered(): readonly string[] {
    return this.#all.filter(({ isAnswered }) => !isAnswered).map(({ label }) => label);
  }

  /** Ends all runs. What fails from here on is a consequence. */
  finish(): Promise<DriverReply> {
    this.#isFinishing = true;
    return this.#driver.request({ command: 'finish' });
  }
}

function detail(command: JsonObject): string {
  const name = command.method ?? command.function ?? command.name;
  return typeof name === 'string' ? ` ${name}` : '';
}

export function describeError({ kind, message, class: className }: NormalError): string {
  return `got: ${className} (${kind}): ${message}`;
}
