import type { Node } from '@babel/types';

const TAG = /^[\s*]*@deprecated\b/;
const LINE_ENDS = ['\n', '\r'];
const NEWLINE = /[\r\n]/;

/** Whether the JSDoc comment of a declaration says `@deprecated`. */
export function isDeprecated({ leadingComments, start }: Node, source: string): boolean {
  return (leadingComments ?? []).some((comment) => {
    if (comment.type !== 'CommentBlock' || !comment.value.startsWith('*')) return false;
    if (!comment.value.split(NEWLINE).some((each) => TAG.test(each))) return false;
    // The parser gives a comment at the end of a line of code to the next declaration too.
    const at = comment.start ?? 0;
    const lineStart = Math.max(...LINE_ENDS.map((end) => source.lastIndexOf(end, at))) + 1;
    const line = source.slice(lineStart, at);
    const isOnLineOfOther = line.trim() !== '' && NEWLINE.test(source.slice(comment.end ?? 0, start ?? 0));
    return !isOnLineOfOther;
  });
}
