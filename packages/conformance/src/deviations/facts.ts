import type { LoggedRequest } from 'claudewire/testing';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Play } from './deviation.js';
import type { HostRecord } from './play-host.js';

const TEXT_LIMIT = 160;

export interface Observed {
  readonly record: HostRecord;
  readonly requests: readonly LoggedRequest[];
  /** Texts of the files that the play asks for; `undefined` for one that is not there. */
  readonly files: ReadonlyMap<string, string | undefined>;
  /** Folders of the run, by the word that stands for them. */
  readonly places: Readonly<Record<string, string>>;
}

/** What can be seen of a run, as lines that stay the same from one run to the next. */
export function factsOf({ record, requests, files, places }: Observed, { marks = [], see = [] }: Play): string[] {
  const { messages, answers, asked, cancelled } = record;
  const model = requests.filter(({ kind }) => kind === 'main');
  const facts = [
    ...(record.missed === undefined ? [] : [`waited in vain: ${record.missed}`]),
    ...(record.crashed === undefined ? [] : [`host crashed: ${record.crashed}`]),
    `end: ${record.end}`,
    ...messages.filter(({ type }) => type === 'result').map(resultFact),
    ...messages.flatMap(toolResults),
    ...counted(asked.map((request) => `asked: ${nameOf(request)}`)),
    ...(cancelled > 0 ? [`cancelled by the CLI: ${cancelled}`] : []),
    ...[...answers]
      .filter(([, { subtype }]) => subtype === 'error')
      .map(([id, { error }]) => `answer ${id}: error ${error}`),
    ...(record.stderr === '' ? [] : [`stderr: ${record.stderr.trim().split('\n')[0]}`]),
    ...marks.map((mark) => `the API saw ${mark}: ${model.filter(({ body }) => has(body, mark)).length} times`),
    ...see.flatMap((what) => seen(what, { record, model, files })),
  ];
  return facts.map((fact) => normal(fact, places));
}

function resultFact({ subtype, is_error, result, errors }: JsonObject): string {
  const text = typeof result === 'string' ? result : Array.isArray(errors) ? errors.join('; ') : '';
  return `result ${subtype}${is_error === true ? ', is_error' : ''}: ${text}`;
}

function toolResults({ type, message }: JsonObject): string[] {
  const content = type === 'user' && isJsonObject(message) && Array.isArray(message.content) ? message.content : [];
  return content
    .filter(isJsonObject)
    .filter((block) => block.type === 'tool_result')
    .map((block) => `tool ${block.is_error === true ? 'error' : 'ok'}: ${textOf(block.content)}`);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((block) => (isJsonObject(block) ? (block.text ?? `<${block.type}>`) : '')).join(' ');
}

function nameOf({ subtype, message, callback_id: callback, tool_name: tool }: JsonObject): string {
  const more = callback ?? tool ?? (isJsonObject(message) ? (message.method ?? 'an answer') : undefined);
  return [subtype, more].filter((part) => part !== undefined).join(' ');
}

function counted(lines: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line}, ${count} times`));
}

interface Seen {
  readonly record: HostRecord;
  readonly model: readonly LoggedRequest[];
  readonly files: ReadonlyMap<string, string | undefined>;
}

function seen(what: string, { record, model, files }: Seen): string[] {
  const [kind, first = '', second = ''] = what.split(':');
  const { messages, answers } = record;
  const fact = (values: readonly unknown[]): string[] =>
    values.map((value) => `${what}: ${JSON.stringify(value) ?? 'nothing'}`);
  if (kind === 'exists') return [`${what}: ${files.get(first) === undefined ? 'no' : 'yes'}`];
  if (kind === 'file') return [`${what}: ${files.get(first)?.trim() ?? 'is not there'}`];
  if (kind === 'api') return fact(model.slice(0, 1).map(({ body }) => at(body, first)));
  if (kind === 'lastapi') return fact(model.slice(-1).map(({ body }) => at(body, first)));
  if (kind === 'header') return fact(model.slice(0, 1).map(({ headers }) => headers[first]));
  if (kind === 'stderr') return [`stderr: ${Math.floor(record.stderrLength / 65_536)} times what a pipe holds`];
  if (kind === 'apis') return [`requests to the API: ${model.length}`];
  if (kind === 'answer') return fact([at(answers.get(first)?.response, second)]);
  if (kind === 'asked') return fact(record.asked.map((request) => at(request, first)));
  const ofKind = messages.filter(({ type, subtype }) => [type, subtype].filter(Boolean).join('/') === first);
  if (kind === 'count') return [`frames ${first}: ${ofKind.length}`];
  if (kind === 'last') return fact(ofKind.slice(-1).map((frame) => at(frame, second)));
  if (kind === 'texts')
    return messages.filter(({ type }) => type === 'assistant').map((frame) => `text: ${digest(frame)}`);
  if (kind === 'replaced') return [`replaced characters: ${JSON.stringify(messages).split('\uFFFD').length - 1}`];
  if (kind === 'init')
    return fact(
      messages
        .filter(({ subtype }) => subtype === 'init')
        .slice(0, 1)
        .map((frame) => at(frame, first)),
    );
  throw new Error(`nothing can be seen as ${what}`);
}

/** Long texts by their length: where a character is lost it differs. */
function digest({ message }: JsonObject): string {
  const text = isJsonObject(message) ? textOf(message.content) : '';
  return `${text.length} units, ${text.split('\uFFFD').length - 1} replaced: ${text.slice(0, 40)}`;
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return key === 'length' ? inner.length : inner[Number(key)];
    return isJsonObject(inner) ? inner[key] : undefined;
  }, value);
}

function has(body: unknown, mark: string): boolean {
  return JSON.stringify(body).includes(mark);
}

const CHANGING: readonly (readonly [RegExp, string])[] = [
  // Those of a play are all ones, twos and so on.
  [/(?!(\d)\1{7})[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/127\.0\.0\.1:\d+/g, '<api>'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [/\b\d+ms\b/g, '<duration>'],
  [/\/\$bunfs\/\S+/g, '<place in the CLI>'],
  [/\breq_\w+/g, '<request>'],
  [/(running in background with ID:).*/g, '$1 <task>'],
  [/-tmp-cw-dev-\w+-\d+-work/g, '<work-dir>'],
];

function normal(fact: string, places: Readonly<Record<string, string>>): string {
  let text = fact.replaceAll(/\s+/g, ' ').trim();
  for (const [word, place] of Object.entries(places)) text = text.replaceAll(place, `<${word}>`);
  for (const [pattern, word] of CHANGING) text = text.replaceAll(pattern, word);
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}
