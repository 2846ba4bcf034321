import { describe, expect, test } from 'vitest';
import { PromptValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { Session } from '../../../src/adapter/state/session.js';
import { SetVisibilityOverride, VisibilityOverrides } from '../../../src/adapter/state/slices.js';
import { thrownBy } from '../support/thrown-by.js';
import { promptOf, section } from './support.js';

const closed = section('closed', {
  template: 'Closed text',
  summary: 'Closed summary',
  visibility: 'summary',
  acceptsOverrides: false,
});
const open = section('open', { template: 'Open text', summary: 'Open summary', visibility: 'summary' });

describe('a section that accepts no overrides', () => {
  test('is refused in the argument', () => {
    const error = thrownBy(() => promptOf(closed).render({ visibilityOverrides: { closed: 'full' } }));
    expect(error).toBeInstanceOf(PromptValidationError);
    expect(error).toMatchObject({ sectionPath: 'closed' });
    expect(String(error)).toContain('accepts no overrides');
  });

  test('keeps its visibility whatever the session says; others follow it', () => {
    const session = new Session();
    for (const path of ['closed', 'open']) {
      session.mutate(VisibilityOverrides).dispatch(SetVisibilityOverride, { path, visibility: 'full' });
    }
    const { text } = promptOf(closed, open).render({ session });
    expect(text).toContain('Closed summary');
    expect(text).not.toContain('Closed text');
    expect(text).toContain('Open text');
  });

  test('is not offered to the model, which could not open it', () => {
    const alone = promptOf(closed).render();
    expect(alone.tools).toEqual([]);
    expect(alone.text).toContain('[This section is summarized.]');
    const { tools } = promptOf(closed, open).render();
    const listed = JSON.stringify(tools.at(-1)?.inputSchema);
    expect(listed).toContain('Summarized are: open"');
  });
});
