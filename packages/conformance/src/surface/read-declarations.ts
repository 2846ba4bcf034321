import { type ParseError, type ParserOptions, parse } from '@babel/parser';
import type { Comment, File } from '@babel/types';
import { InvalidOptionError } from 'claudewire';
import { type Declared, mergeDeclared } from './declared.js';
import { FactSink, UnknownSyntaxError } from './fact-sink.js';
import { readStatements } from './statements.js';

/** A declaration file. */
export interface DeclarationFile {
  /** Relative to the package, for messages and facts. */
  readonly name: string;
  readonly text: string;
}

const OPTIONS: ParserOptions = {
  sourceType: 'module',
  plugins: [['typescript', { dts: true }]],
  // Types that a namespace passes on are unknown to the parser.
  allowUndeclaredExports: true,
};

/**
 * Everything that declaration files declare, exported or not, but for private members of classes.
 *
 * @throws InvalidOptionError a file does not parse, or has syntax that is newer than this reader. Nothing is left out silently.
 */
export function readDeclarations(files: readonly DeclarationFile[]): readonly Declared[] {
  return mergeDeclared(files.flatMap(readFile));
}

function readFile({ name, text }: DeclarationFile): readonly Declared[] {
  const source = text.replace(/^\uFEFF/, '');
  try {
    const { program, comments } = parsed(source);
    const sink = new FactSink(name, withoutComments(source, comments ?? []));
    readStatements(program.body, sink);
    return sink.facts;
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** Blanks, so that positions stay. */
function withoutComments(source: string, comments: readonly Comment[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start = 0, end = 0 } of comments) {
    parts.push(source.slice(from, start), source.slice(start, end).replace(/[^\r\n]/g, ' '));
    from = end;
  }
  return parts.join('') + source.slice(from);
}

function parsed(source: string): File {
  // The parser declares its own name for the same tree.
  return parse(source, OPTIONS) as File;
}

function unreadable(name: string, error: unknown): unknown {
  const isSyntax = error instanceof SyntaxError && 'loc' in error;
  if (!isSyntax && !(error instanceof UnknownSyntaxError)) return error;
  const line = isSyntax
    ? (error as SyntaxError & ParseError & { readonly loc: { readonly line: number } }).loc.line
    : error.line;
  const advice = isSyntax
    ? 'Look at the line; if it is good TypeScript, update @babel/parser'
    : 'Teach packages/conformance/src/surface this syntax';
  return new InvalidOptionError('declarations', `${name}:${line} cannot be read: ${error.message}. ${advice}`);
}
