import type {
  ClassDeclaration,
  ExportDefaultDeclaration,
  ExportNamedDeclaration,
  Node,
  Statement,
  TSEnumDeclaration,
  TSInterfaceDeclaration,
  TSModuleDeclaration,
  TSType,
  TSTypeAliasDeclaration,
  VariableDeclaration,
} from '@babel/types';
import type { DeclaredKind, Mark } from './declared.js';
import { isDeprecated } from './deprecated.js';
import { type FactSink, plainText, quoted, UnknownSyntaxError } from './fact-sink.js';
import { objectType, typeParts } from './object-type.js';
import { type Signature, signatureText, typeOf, typeParametersOf } from './signature.js';
import { typeParametersText, typeText } from './type-text.js';

/** A file, a namespace or a module block: where names are declared. */
interface Scope {
  readonly sink: FactSink;
  /** Before each path: `Namespace.`, or nothing. */
  readonly prefix: string;
  /** Names that `export { name }` passes on. */
  readonly listed: ReadonlySet<string>;
  readonly declared: ReadonlySet<string>;
  /** Declarations without `export` are exported too: nothing else in the scope says what is. */
  readonly isOpen: boolean;
}

/** Reads the statements of a file, a namespace or a module block. */
export function readStatements(body: readonly Statement[], sink: FactSink, prefix = ''): void {
  const listed = body.flatMap((each) =>
    each.type === 'ExportNamedDeclaration' && !each.source ? each.specifiers.flatMap(sameName) : [],
  );
  const isOpen = !body.some(
    (each) =>
      each.type === 'ExportAllDeclaration' ||
      each.type === 'ExportDefaultDeclaration' ||
      each.type === 'TSExportAssignment' ||
      (each.type === 'ExportNamedDeclaration' && !each.declaration),
  );
  const declared = new Set(body.flatMap((each) => declaredNames(each)));
  const scope: Scope = { sink, prefix, listed: new Set(listed), declared, isOpen };
  for (const statement of body) readStatement(statement, scope, statement);
}

type Specifier = ExportNamedDeclaration['specifiers'][number];

function sameName(each: Specifier): readonly string[] {
  return each.type === 'ExportSpecifier' && each.local.name === exportedName(each) ? [each.local.name] : [];
}

const exportedName = ({ exported }: Specifier): string =>
  exported.type === 'Identifier' ? exported.name : exported.value;

function declaredNames(node: Statement): readonly string[] {
  if (node.type === 'ExportNamedDeclaration') return node.declaration ? declaredNames(node.declaration) : [];
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => ('name' in id ? [id.name] : []));
  if (node.type.startsWith('Import')) return [];
  return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : [];
}

/** `outer` has the comments, and says whether there is an `export`. */
function readStatement(node: Statement, scope: Scope, outer: Statement): void {
  const target = (name: string | undefined, kind: DeclaredKind): Header =>
    header(name ?? 'default', kind, scope, outer);
  switch (node.type) {
    case 'EmptyStatement':
    case 'ImportDeclaration':
    case 'TSNamespaceExportDeclaration':
      break;
    case 'TSTypeAliasDeclaration':
      readAlias(node, target(node.id.name, 'type'));
      break;
    case 'TSInterfaceDeclaration':
      readInterface(node, target(node.id.name, 'interface'));
      break;
    case 'ClassDeclaration':
      readClass(node, target(node.id?.name, 'class'));
      break;
    case 'TSDeclareFunction':
    case 'FunctionDeclaration':
      readFunction(node, target(node.id?.name, 'function'));
      break;
    case 'VariableDeclaration':
      readVariables(node, target);
      break;
    case 'TSEnumDeclaration':
      readEnum(node, target(node.id.name, 'enum'));
      break;
    case 'TSModuleDeclaration':
      readModule(node, scope, outer);
      break;
    case 'ExportNamedDeclaration':
      if (node.declaration) readStatement(node.declaration, scope, node);
      else readSpecifiers(node, scope);
      break;
    case 'ExportDefaultDeclaration':
      readDefault(node, scope);
      break;
    default:
      readOtherExport(node, scope, outer);
  }
}

interface Header {
  readonly path: string;
  readonly kind: DeclaredKind;
  readonly marks: readonly (Mark | false)[];
  readonly sink: FactSink;
}

function header(name: string, kind: DeclaredKind, scope: Scope, outer: Statement): Header {
  const isExported = outer.type.startsWith('Export') || scope.isOpen || scope.listed.has(name);
  const marks = [isExported && 'exported', isDeprecated(outer, scope.sink.source) && 'deprecated'] as const;
  return { path: scope.prefix + name, kind, marks, sink: scope.sink };
}

function readAlias({ typeAnnotation, typeParameters }: TSTypeAliasDeclaration, target: Header): void {
  const { path, kind, marks, sink } = target;
  const place = { path, source: sink.source, sink };
  const types = typeParametersText(typeParametersOf(typeParameters), place);
  const { type, ownType } = typeParts(typeAnnotation, place);
  const before = types === '' ? '' : `${types} `;
  sink.add(path, kind, { type: before + type, ownType: before + ownType, marks });
}

function readInterface(node: TSInterfaceDeclaration, { path, kind, marks, sink }: Header): void {
  const place = { path, source: sink.source, sink };
  const types = typeParametersText(typeParametersOf(node.typeParameters), place);
  const bases = (node.extends ?? []).map((each) => typeText(each, place));
  const type = `${types}${bases.length === 0 ? '' : ` extends ${bases.join(', ')}`}`.trim();
  sink.add(path, kind, { type, marks });
  objectType(node.body.body, place);
}

function readFunction(node: Signature, { path: name, kind, marks, sink }: Header): void {
  const { source } = sink;
  const path = sink.numbered(name);
  const type = signatureText(node, { path, source });
  sink.add(`${path}()`, kind, { type, ownType: signatureText(node, { path, source, sink }), marks });
}

function readClass(node: ClassDeclaration, { path, kind, marks, sink }: Header): void {
  const { source } = sink;
  const place = { path, source, sink };
  const types = typeParametersText(typeParametersOf(node.typeParameters), place);
  const given =
    node.superTypeParameters?.type === 'TSTypeParameterInstantiation' ? node.superTypeParameters.params : [];
  const arguments_ = given.length === 0 ? '' : `<${given.map((each) => typeText(each, place)).join(', ')}>`;
  const base = node.superClass ? ` extends ${plainText(node.superClass, source)}${arguments_}` : '';
  const contracts = (node.implements ?? []).map((each) => typeText(each as TSType, place));
  const type = `${types}${base}${contracts.length === 0 ? '' : ` implements ${contracts.join(', ')}`}`.trim();
  sink.add(path, kind, { type, marks: [...marks, node.abstract === true && 'abstract'] });
  objectType(node.body.body, place);
}

function readVariables(node: VariableDeclaration, target: (name: string, kind: DeclaredKind) => Header): void {
  for (const { id, init } of node.declarations) {
    if (id.type !== 'Identifier') throw new UnknownSyntaxError(id);
    const { path, kind, marks, sink } = target(id.name, 'value');
    const type = typeOf(id.typeAnnotation);
    const value = init ? `= ${plainText(init, sink.source)}` : '';
    const isTyped = type !== undefined || value === '';
    const parts = isTyped ? typeParts(type, { path, source: sink.source, sink }) : { type: value, ownType: value };
    sink.add(path, kind, { ...parts, marks: [...marks, node.kind === 'const' && 'readonly'] });
  }
}

function readEnum(node: TSEnumDeclaration, { path, kind, marks, sink }: Header): void {
  sink.add(path, kind, { type: node.const ? 'const' : '', marks });
  for (const { id, initializer, ...member } of node.body?.members ?? node.members) {
    const name = id.type === 'Identifier' ? id.name : id.value;
    const type = initializer ? plainText(initializer, sink.source) : '';
    sink.add(`${path}.${name}`, 'member', { type, marks: [isDeprecated(member as Node, sink.source) && 'deprecated'] });
  }
}

function readModule({ id, body, kind }: TSModuleDeclaration, scope: Scope, outer: Statement): void {
  const name = id.type === 'StringLiteral' ? `module ${quoted(id.value)}` : id.name;
  const target = header(name, 'namespace', scope, outer);
  scope.sink.add(target.path, 'namespace', { type: kind, marks: target.marks });
  const prefix = `${target.path}.`;
  // `namespace A.B {}`; `declare module 'x'` may have no body.
  if (body?.type === 'TSModuleDeclaration') readModule(body, { ...scope, prefix, isOpen: true }, outer);
  else if (body) readStatements(body.body, scope.sink, prefix);
}

function readSpecifiers(node: ExportNamedDeclaration, scope: Scope): void {
  for (const each of node.specifiers) {
    // It is a mark of the declaration.
    if (!node.source && sameName(each).some((name) => scope.declared.has(name))) continue;
    const isType = node.exportKind === 'type' || (each.type === 'ExportSpecifier' && each.exportKind === 'type');
    const local = each.type === 'ExportSpecifier' ? each.local.name : `* from ${quoted(node.source?.value ?? '')}`;
    exportFact(exportedName(each), `${isType ? 'type ' : ''}${local}`, scope);
  }
}

function readDefault({ declaration, ...node }: ExportDefaultDeclaration, scope: Scope): void {
  const isDeclaration = /Declaration$|^TSDeclareFunction$/.test(declaration.type);
  const name = 'id' in declaration && declaration.id?.type === 'Identifier' ? declaration.id.name : 'default';
  exportFact('default', isDeclaration ? name : plainText(declaration, scope.sink.source), scope);
  if (isDeclaration) readStatement(declaration as Statement, scope, { ...node, declaration } as Statement);
}

function readOtherExport(node: Statement, scope: Scope, outer: Statement): void {
  const { source } = scope.sink;
  if (node.type === 'ExportAllDeclaration') exportFact(`* from ${quoted(node.source.value)}`, '', scope);
  else if (node.type === 'TSExportAssignment') exportFact('=', plainText(node.expression, source), scope);
  else if (node.type !== 'TSImportEqualsDeclaration') throw new UnknownSyntaxError(node);
  else if (node.isExport || outer.type === 'ExportNamedDeclaration') {
    exportFact(node.id.name, plainText(node.moduleReference, source), scope);
  }
}

/** The module that a name comes from is not part of it: `./sdk.js` or a bundle, a user gets the same. */
function exportFact(name: string, type: string, { sink, prefix }: Scope): void {
  sink.add(`${prefix === '' ? sink.file : prefix.slice(0, -1)} exports ${name}`, 'export', { type });
}
