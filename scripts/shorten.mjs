import { minify, parse } from 'rolldown/utils';

const MAX_LINE = 160;

/**
 * Shortens local names, which is a quarter of the code. Functions and classes keep theirs, for stack traces and error
 * messages; and lines stay short, because Node prints the whole line of an uncaught error.
 *
 * @param {string} path - For messages.
 * @param {string} text - An ES module without comments.
 * @returns {Promise<string>}
 * @throws Error it is no ES module.
 */
export async function shorten(path, text) {
  const { code, errors } = await minify(path, text, {
    module: true,
    compress: { target: 'es2022', keepNames: { function: true, class: true } },
    mangle: { toplevel: true, keepNames: true },
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const { program } = await parse(path, code);
  return breakLines(code, statementStarts(program));
}

/** Where a statement follows another one or opens a block: a new line there changes nothing. */
function statementStarts(program) {
  const starts = [];
  const walk = (node) => {
    if (Array.isArray(node)) for (const each of node) walk(each);
    else if (typeof node === 'object' && node !== null) {
      const isBody = /^(?:Program|BlockStatement|FunctionBody|StaticBlock)$/.test(node.type);
      if (isBody) for (const { start } of node.body) starts.push(start);
      for (const [key, value] of Object.entries(node)) if (key !== 'parent') walk(value);
    }
  };
  walk(program);
  return starts.sort((a, b) => a - b);
}

function breakLines(code, starts) {
  const lines = [];
  let begin = 0;
  let end = 0;
  for (const start of [...starts, code.length]) {
    // Only behind what ends or opens a statement: nothing there continues on the next line.
    if (start < code.length && !';{}'.includes(code[start - 1] ?? '')) continue;
    if (start - begin > MAX_LINE && end > begin) {
      lines.push(code.slice(begin, end));
      begin = end;
    }
    end = start;
  }
  lines.push(code.slice(begin));
  return lines.join('\n');
}
