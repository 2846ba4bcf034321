import { parseScenario, readRecording } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { ask, call, recording, recordingOf, reply, result, toolResult } from '../helpers/recordings.js';
import { currentFrame, openSource, rowTexts, useBrowser } from './browser.js';

useBrowser();

const prompt = (content: string): object => ({ type: 'user', message: { role: 'user', content } });

const FAILING = recordingOf([
  [1, 'meta', { event: 'spawn', argv: ['claude'] }],
  [2, 'in', prompt('Go.')],
  [3, 'out', call('t1', 'Bash', { command: 'false' })],
  [9, 'out', toolResult('t1', 'exit code 1', true)],
  [
    10,
    'out',
    { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 3, retry_delay_ms: 5, error: 'overloaded' },
  ],
  [11, 'out', ask('q', { subtype: 'can_use_tool', tool_name: 'Write', input: {} })],
  [12, 'out', result()],
  [13, 'meta', { event: 'exit', code: 0, signal: null }],
]);

test('hostile text stays text, in every place where it is shown', async () => {
  const hostile = '\u202e\u0007\u0000\ud800</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)>';
  const page = await openSource({
    name: `${hostile}.jsonl`,
    text: recordingOf([
      [1, 'meta', { event: hostile, argv: [hostile] }],
      [2, 'in', prompt(hostile)],
      [3, 'out', call(hostile, hostile, { [hostile]: hostile })],
      [4, 'out', toolResult(hostile, hostile, true)],
      [5, 'out', { type: hostile, subtype: hostile, [hostile]: hostile }],
      [6, 'err', hostile],
      [7, 'out', hostile],
      [8, 'out', ask(hostile, { subtype: hostile })],
      [9, 'out', { type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { text: hostile } } }],
      [10, 'meta', { scenario: hostile, about: hostile, cli_version: hostile }],
    ]),
  });
  const rows = await page.locator('#rows .row:not([hidden])').count();
  expect(rows).toBe(11);
  for (let row = 0; row < rows; row += 1) {
    await page.locator('#rows .row:not([hidden])').nth(row).click();
    await page.locator('#details .label', { hasText: 'Frame' }).waitFor();
    await page.locator('#details .tree, #details pre').first().waitFor();
  }
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.locator('script:not([type])').count()).toBe(1);
  const said = (await rowTexts(page)).join('\n');
  expect(said).toContain('<img src=x onerror=alert(2)>');
  expect(said).toContain('‹U+202E›');
  const text = (await page.locator('body').textContent()) ?? '';
  expect(text).not.toContain('\u202e');
  expect(text).not.toContain('\u0007');
});

test('every frame of a real session is in the list, with its direction, kind and latency', async () => {
  const page = await openSource(recording('can-use-tool-deny'));
  const kinds = await page.locator('#rows .row:not([hidden]) .kind').allTextContents();
  expect(kinds.slice(0, 6)).toEqual([
    'recording',
    'spawn',
    'request/initialize',
    'answer/success',
    'user',
    'system/init',
  ]);
  const row = page.locator('#rows .row', { hasText: 'request/can_use_tool' });
  expect(await row.locator('.dir').textContent()).toBe('← out');
  expect(await row.locator('.took').textContent()).toBe('4 ms');
  await row.click();
  await page.getByRole('button', { name: 'Go to the answer' }).click();
  await page.locator('#rows .row.current', { hasText: 'can_use_tool: deny Not on my machine.' }).waitFor();
  expect(await page.locator('#details').textContent()).toContain('Answered after 4 ms.');
});

test('faults, retries and unanswered requests are told by words and shape, and n, N, e and E go from one to the next', async () => {
  const page = await openSource({ text: FAILING });
  const badges = page.locator('#rows .row:not([hidden]) .badge:not([hidden])');
  expect(await badges.allTextContents()).toEqual(['tool-error', 'retry', 'unanswered']);
  await page.locator('#list').focus();
  const seen: (string | null)[] = [];
  for (const key of ['n', 'n', 'n', 'n', 'N', 'e', 'E', 'E']) {
    await page.keyboard.press(key);
    seen.push(await currentFrame(page));
  }
  expect(seen).toEqual(['5', '6', '7', '5', '7', '5', '7', '5']);
  expect(await page.locator('#facts').textContent()).toContain('unanswered1');
});

test('search finds titles at once and bodies after that, and the filters join it', async () => {
  const text = recordingOf([
    [1, 'in', prompt('needle in the title')],
    [2, 'out', { type: 'system', subtype: 'x', a: { b: { c: 'a NEEDLE in the body' } } }],
    [3, 'out', { type: 'system', subtype: 'y' }],
    [4, 'err', 'nothing'],
  ]);
  const page = await openSource({ text });
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  await page.locator('#count', { hasText: /^2 of 5 frames$/ }).waitFor();
  await page.getByRole('button', { name: '→ in' }).click();
  await page.locator('#count', { hasText: /^1 of 5 frames$/ }).waitFor();
  await page.locator('#search').fill('');
  await page.locator('#count', { hasText: /^4 of 5 frames$/ }).waitFor();
  await page.locator('#kind').selectOption('system/y');
  await page.locator('#count', { hasText: /^1 of 5 frames$/ }).waitFor();
  await page.locator('#kind').selectOption('');
  await page.getByRole('button', { name: 'Faults only' }).click();
  await page.getByText('No frame fits.').waitFor();
});

test('the keys alone reach every frame, its body and the list of keys', async () => {
  const page = await openSource(recording('tool-errors'));
  await page.locator('#list').focus();
  await page.keyboard.press('ArrowDown');
  expect(await currentFrame(page)).toBe('1');
  await page.keyboard.press('j');
  expect(await currentFrame(page)).toBe('2');
  await page.keyboard.press('End');
  expect(await currentFrame(page)).toBe('26');
  expect(await page.locator('#list').getAttribute('aria-activedescendant')).toBe('frame-25');
  await page.locator('#details .tree', { hasText: '"exit"' }).waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.locator('#count', { hasText: '3 selected' }).waitFor();
  await page.keyboard.press('?');
  await page.locator('dialog[open]', { hasText: 'next and previous fault' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.locator('dialog[open]').count()).toBe(0);
});

test('light and dark follow the system until somebody asks for the other one', async () => {
  const page = await openSource({ text: FAILING }, { colorScheme: 'dark' });
  const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  // The page hears of the other scheme with the next frame.
  const frames = (): Promise<unknown> =>
    page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
  const dark = await background();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(background).not.toBe(dark);
  await page.getByRole('button', { name: 'Theme' }).click();
  expect(await background()).toBe(dark);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.emulateMedia({ colorScheme: 'dark' });
  await frames();
  // It would be dark if it still followed.
  expect(await background()).not.toBe(dark);
});

// 420: V-20
test.each([1280, 800, 420])('nothing leaves the page at a width of %d', async (width) => {
  const page = await openSource(recording('hooks-all-events'), { viewport: { width, height: 800 } });
  await page.locator('#list').focus();
  await page.keyboard.press('n');
  const over = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  expect(await page.evaluate(over)).toBe(0);
  for (const part of await page.locator('header, header h1, header dl > div, header button').all()) {
    const { x = 0, width: wide = 0 } = (await part.boundingBox()) ?? {};
    expect(x + wide, (await part.textContent()) ?? '').toBeLessThanOrEqual(width);
  }
  const list = await page.locator('#list').boundingBox();
  expect(list?.height).toBeGreaterThan(120);
  expect((await page.locator('#details').boundingBox())?.height).toBeGreaterThan(120);
});

test('a copied fixture is a recording, a copied scenario can be played, a copied frame is JSON', async () => {
  const page = await openSource(recording('can-use-tool-deny'), { permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
  const said = (text: string): Promise<void> => page.locator('#toast', { hasText: text }).waitFor();
  await page.locator('#list').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('f');
  await said('of a recording');
  const { lines, dropped } = readRecording(await copied());
  expect([lines.length, dropped]).toEqual([15, 0]);
  await page.keyboard.press('s');
  await said('Copied a scenario');
  expect(parseScenario(await copied()).steps.length).toBeGreaterThan(5);
  await page.keyboard.press('Home');
  await page.keyboard.press('c');
  await said('Copied the frame');
  expect(JSON.parse(await copied())).toMatchObject({ scenario: 'can-use-tool-deny' });
});

test('a frame that is cut says how long it is and where the whole of it is, and is not copied as if it were whole', async () => {
  const text = recordingOf([[1, 'out', { type: 'user', message: { role: 'user', content: 'x'.repeat(200_000) } }]]);
  const page = await openSource({ text, name: 'long.jsonl' });
  await page.locator('#list').focus();
  await page.keyboard.press('End');
  await page.locator('#details', { hasText: 'The begin of 200 kB. The whole of it: sed -n 2p long.jsonl' }).waitFor();
  await page.keyboard.press('f');
  await page
    .locator('#toast', { hasText: 'Frame 2 is cut here: the whole of it is in line 2 of the source.' })
    .waitFor();
});

test('deep nesting unfolds one level at a time', async () => {
  let deep: unknown = 'the end';
  for (let level = 0; level < 300; level += 1) deep = { [`level ${300 - level}`]: deep };
  const page = await openSource({ text: recordingOf([[1, 'out', { type: 'system', subtype: 'x', deep }]]) });
  await page.locator('#list').focus();
  await page.keyboard.press('End');
  await page.locator('#details .tree').waitFor();
  expect(await page.locator('#details .node').count()).toBeLessThan(20);
  for (let level = 2; level < 12; level += 1)
    await page.getByRole('button', { name: `Unfold level ${level}`, exact: true }).click();
  await page.locator('#details .key', { hasText: 'level 12' }).waitFor();
});

test('a text that streams is shown put together, and as one row when texts are folded', async () => {
  const page = await openSource(recording('partial-messages'));
  const all = await page.locator('#count').textContent();
  await page.locator('#rows .row', { hasText: 'stream/delta' }).first().click();
  await page.locator('#details .label', { hasText: 'put together from' }).waitFor();
  await page.getByRole('button', { name: 'Fold text' }).click();
  await page.locator('#count', { hasText: ' of ' }).waitFor();
  expect(await page.locator('#count').textContent()).not.toBe(all);
});

test('lanes and plots are drawn, and a click on a bar goes to its frame', async () => {
  const page = await openSource({ text: FAILING });
  expect(await page.locator('#lanes-canvas').getAttribute('aria-label')).toBe('4 spans in 3 lanes');
  expect(await page.locator('#plots .uplot').count()).toBe(3);
  await page.locator('#lanes-canvas').click({ position: { x: 400, y: 28 } });
  expect(await currentFrame(page)).toBe('2');
  await page.locator('#lanes-canvas').hover({ position: { x: 400, y: 28 } });
  await page.locator('#hover', { hasText: 'process process 1' }).waitFor();
});

test('0 frames', async () => {
  const page = await openSource({ text: '' });
  await page.getByText('No frame fits.').waitFor();
  expect(await page.locator('#next-fault').isDisabled()).toBe(true);
});

test('50,000 frames: the rows in view are the right ones wherever the list is, and few elements exist', async () => {
  const lines = Array.from({ length: 49_999 }, (_, index) => [index, 'err', `line ${index + 2} of many`] as const);
  const page = await openSource({ text: recordingOf(lines) });
  expect(await page.locator('#count').textContent()).toBe('50,000 frames');
  for (const share of [0.1, 0.77, 0.5, 1]) {
    await page.evaluate(
      `(() => { const list = document.querySelector('#list'); list.scrollTop = (list.scrollHeight - list.clientHeight) * ${share}; })()`,
    );
    const first = Math.floor(((50_000 * 26 - (await clientHeight())) * share) / 26) + 1;
    await page.locator(`#frame-${first}`).waitFor();
    expect(await page.locator(`#frame-${first} .said`).textContent()).toBe(`line ${first + 1} of many`);
    expect(await page.locator('#rows .row').count()).toBeLessThan(80);
  }
  await page.locator('#search').fill('line 31415 of');
  await page.locator('#count', { hasText: /^1 of 50,000 frames$/ }).waitFor();
  expect(await rowTexts(page)).toEqual(['line 31415 of many']);

  function clientHeight(): Promise<number> {
    return page.evaluate("document.querySelector('#list').clientHeight");
  }
});

test('an answer that comes is joined across the list', async () => {
  const page = await openSource({
    text: recordingOf([
      [1, 'in', ask('a', { subtype: 'set_model' })],
      [8, 'out', reply('a')],
    ]),
  });
  await page.locator('#list').focus();
  await page.keyboard.press('End');
  await page.locator('#rows .row.peer', { hasText: 'request/set_model' }).waitFor();
  await page.keyboard.press('p');
  expect(await currentFrame(page)).toBe('2');
});
